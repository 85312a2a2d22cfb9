package garden

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	operatorvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/operator"
)

// delete removes what Reconcile has deployed. The components run until the host ends. A deletion that nobody confirmed, which
// needs an API server without the policies, is not carried out.
func (r *Reconciler) delete(ctx context.Context, garden *operatorv1alpha1.Garden) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(garden, constants.FinalizerOperator) {
		return reconcile.Result{}, nil
	}
	s := r.begin(garden)
	s.kind, s.quiet = gardencorev1beta1.LastOperationTypeDelete, false
	if mistakes := operatorvalidation.ValidateGardenDeletion(garden); len(mistakes) > 0 {
		return reconcile.Result{}, s.write(ctx, gardencorev1beta1.LastOperationStatePending, 0, mistakes.ToAggregate().Error())
	}
	var steps []flow.Step
	if garden.Name == r.Host.Name { // the access is that of the host's own Garden
		steps = append(steps, flow.Step{Name: stepAccess, Timeout: r.ComponentTimeout, Do: func(ctx context.Context) error {
			return await.Poll(ctx, func() error { return r.Access.Destroy(ctx) })
		}}, flow.Step{Name: stepPassword, Do: r.Password.Destroy}, flow.Step{Name: stepDomains, Skip: r.Host.ServeDomains == nil, Do: func(ctx context.Context) error {
			return r.Host.ServeDomains(ctx, nil)
		}})
	}
	graph, err := flow.New("Garden deletion", steps...)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := graph.Run(ctx, flow.Options{Log: log.FromContext(ctx), Progress: s.progress, ProgressPeriod: progressPeriod}); err != nil {
		if failed := s.fail(ctx, err); failed != nil {
			return reconcile.Result{}, failed
		}
		return reconcile.Result{}, err
	}
	garden = s.garden // as the reports left it
	return reconcile.Result{}, client.IgnoreNotFound(patch.Metadata(ctx, r.Runtime, garden, func() {
		controllerutil.RemoveFinalizer(garden, constants.FinalizerOperator)
	}))
}
