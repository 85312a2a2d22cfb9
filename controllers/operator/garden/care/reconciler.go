// Package care checks the health of a garden and writes it to the conditions of the Garden. It repairs nothing.
package care

import (
	"context"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

const (
	// retry is the interval while something is not healthy.
	retry = time.Second
	// checkTimeout bounds the checks of one reconciliation.
	checkTimeout = 15 * time.Second
)

// Reconciler handles Gardens. Fields without a comment about their zero value are required.
type Reconciler struct {
	Runtime    client.Client    // of the runtime cluster; reads from a cache
	Virtual    host.Connect     // to the API server of the virtual garden
	Components []host.Component // of the garden; may be empty
	Clock      clock.PassiveClock
	// Period is the interval of the checks.
	Period time.Duration
	// Thresholds say how long a condition stays Progressing before it becomes False. Without one it becomes False at once.
	Thresholds map[gardencorev1beta1.ConditionType]time.Duration
}

// Reconcile writes all conditions of one Garden.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	garden := &operatorv1alpha1.Garden{}
	if err := r.Runtime.Get(ctx, request.NamespacedName, garden); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if garden.DeletionTimestamp != nil && !waits(garden) {
		return reconcile.Result{}, nil
	}
	before, again := garden.DeepCopy(), r.Period
	found, now := r.findings(ctx), r.Clock.Now()
	for _, kind := range operatorv1alpha1.GardenConditions() {
		old := conditions.Get(garden.Status.Conditions, kind)
		finding := conditions.WithThreshold(old, found[kind], r.Thresholds[kind], now)
		if finding.Status != gardencorev1beta1.ConditionTrue {
			again = min(retry, r.Period)
		}
		garden.Status.Conditions = conditions.Set(garden.Status.Conditions, kind, finding, now)
	}
	if finding, known := reconciled(garden.Status.LastOperation); known {
		garden.Status.Conditions = conditions.Set(garden.Status.Conditions, operatorv1alpha1.GardenReconciled, finding, now)
	}
	// A patch replaces the whole list, so the list must be the latest. The operator writes the status, too.
	if err := patch.StatusUnlessChanged(ctx, r.Runtime, garden, before); err != nil {
		return patch.AfterConflict(err)
	}
	return reconcile.Result{RequeueAfter: again}, nil
}

// waits reports whether a deletion has not begun, since the Garden has Seeds for example. The garden serves as before.
func waits(garden *operatorv1alpha1.Garden) bool {
	last := garden.Status.LastOperation
	return last != nil && last.Type == gardencorev1beta1.LastOperationTypeDelete && last.State == gardencorev1beta1.LastOperationStatePending
}
