package garden

import (
	"context"
	"errors"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	operatorvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/operator"
)

// delete removes what Reconcile has deployed, last first. Components that the host has not deployed run until it ends. A deletion that
// nobody confirmed, which needs an API server without the policies, is not carried out.
func (r *Reconciler) delete(ctx context.Context, garden *operatorv1alpha1.Garden) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(garden, constants.FinalizerOperator) {
		return reconcile.Result{}, nil
	}
	if older, err := r.older(ctx, garden); err != nil {
		return reconcile.Result{}, err
	} else if older != "" { // nothing is its own
		return reconcile.Result{}, client.IgnoreNotFound(r.letGo(ctx, garden))
	}
	s := r.begin(garden)
	s.kind, s.quiet = gardencorev1beta1.LastOperationTypeDelete, false
	if mistakes := operatorvalidation.ValidateGardenDeletion(garden); len(mistakes) > 0 {
		return reconcile.Result{}, s.write(ctx, gardencorev1beta1.LastOperationStatePending, 0, mistakes.ToAggregate().Error())
	}
	if reason, err := r.HeldUp(ctx, garden); err != nil {
		return reconcile.Result{}, errors.Join(err, s.fail(ctx, err))
	} else if reason != "" {
		return reconcile.Result{RequeueAfter: seedsPeriod}, s.write(ctx, gardencorev1beta1.LastOperationStatePending, 0, reason)
	}
	graph, err := r.deletion(garden)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := r.beginDestroying(ctx, garden); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	s.garden = garden.DeepCopy()
	if err := graph.Run(ctx, flow.Options{Log: log.FromContext(ctx), Progress: s.progress, ProgressPeriod: progressPeriod}); err != nil {
		if failed := s.fail(ctx, err); failed != nil {
			return reconcile.Result{}, failed
		}
		return reconcile.Result{}, err
	}
	garden = s.garden // as the reports left it
	return reconcile.Result{}, client.IgnoreNotFound(r.letGo(ctx, garden))
}

func (r *Reconciler) letGo(ctx context.Context, garden *operatorv1alpha1.Garden) error {
	return patch.Metadata(ctx, r.Runtime, garden, func() { controllerutil.RemoveFinalizer(garden, constants.FinalizerOperator) })
}

// deletion is the order of a deletion: the access while the virtual garden serves, then the stages of components, last first. A Garden that
// the host does not run has nothing of that.
func (r *Reconciler) deletion(garden *operatorv1alpha1.Garden) (*flow.Graph, error) {
	if !r.runs(garden) {
		return flow.New("Garden deletion")
	}
	steps := []flow.Step{
		{Name: stepAccess, Timeout: r.ComponentTimeout, Do: func(ctx context.Context) error {
			if r.Host.Destroy != nil { // the whole virtual garden goes, and may be broken
				return r.Access.Forget(ctx)
			}
			return await.Poll(ctx, func() error { return r.Access.Destroy(ctx) })
		}},
		{Name: stepPassword, Do: r.Password.Destroy},
		{Name: stepDomains, Skip: r.Host.ServeDomains == nil, Do: func(ctx context.Context) error { return r.Host.ServeDomains(ctx, nil) }},
	}
	if r.Host.Destroy == nil {
		return flow.New("Garden deletion", steps...)
	}
	after, copied := []string{stepAccess}, garden.DeepCopy() // the report of the progress uses the other one at the same time
	for _, stage := range slices.Backward(host.Stages()) {
		name := "destroy " + string(stage)
		steps = append(steps, flow.Step{Name: name, After: after, Timeout: r.patience(), Do: func(ctx context.Context) error {
			return await.Poll(ctx, func() error { return r.Host.Destroy(ctx, copied, stage) })
		}})
		after = []string{name}
	}
	return flow.New("Garden deletion", steps...)
}
