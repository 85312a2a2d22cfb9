// Package retry restarts failed Shoots if the infrastructure throttled their requests. A later attempt may then succeed
// without any change by a user.
package retry

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Reconciler handles Shoots. All fields are required.
type Reconciler struct {
	Client client.Client // reads from a cache
	Clock  clock.PassiveClock
	Period time.Duration // time between the failure and the retry
	Jitter time.Duration // maximum additional delay, so that not all Shoots are retried at once
}

// Reconcile retries one Shoot, or waits until the retry is due.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.Client.Get(ctx, request.NamespacedName, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !Throttled(shoot) || shoot.Annotations[constants.GardenerOperation] != "" {
		return reconcile.Result{}, nil
	}
	due := shoot.Status.LastOperation.LastUpdateTime.Add(r.Period + r.jitter(shoot))
	if wait := due.Sub(r.Clock.Now()); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	return reconcile.Result{}, patch.Metadata(ctx, r.Client, shoot, func() {
		if shoot.Annotations == nil {
			shoot.Annotations = map[string]string{}
		}
		shoot.Annotations[constants.GardenerOperation] = constants.ShootOperationRetry
	})
}

// Throttled reports whether throttling is the only reason why a Shoot has failed permanently. Other errors need a user
// to act.
func Throttled(shoot *gardencorev1beta1.Shoot) bool {
	if !helper.IsFailed(shoot) {
		return false
	}
	throttled := false
	for _, lastError := range shoot.Status.LastErrors {
		throttled = throttled || slices.Contains(lastError.Codes, gardencorev1beta1.ErrorInfraRateLimitsExceeded)
		others := slices.DeleteFunc(slices.Clone(lastError.Codes), func(code gardencorev1beta1.ErrorCode) bool {
			return code == gardencorev1beta1.ErrorInfraRateLimitsExceeded
		})
		if helper.HasNonRetryableCode(others...) {
			return false
		}
	}
	return throttled
}

// jitter differs between Shoots and is constant for each Shoot.
func (r *Reconciler) jitter(shoot *gardencorev1beta1.Shoot) time.Duration {
	if r.Jitter <= 0 {
		return 0
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(shoot.UID))
	return time.Duration(int64(sum.Sum32()) % int64(r.Jitter))
}

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-shoot-retry"
	throttled := predicate.NewPredicateFuncs(func(object client.Object) bool { return Throttled(object.(*gardencorev1beta1.Shoot)) })
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(throttled)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}
