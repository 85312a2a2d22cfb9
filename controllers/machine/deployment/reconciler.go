package deployment

import (
	"context"
	"errors"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// Reconciler reconciles one MachineDeployment.
type Reconciler struct {
	// Client reads MachineDeployments and MachineSets from a cache. Its data may be stale; writes based on stale data
	// are refused.
	Client client.Client
	// Clock for the times in the status.
	Clock clock.PassiveClock
}

// scope is the data of one reconciliation.
type scope struct {
	// before is the deployment as it was read.
	deployment, before *machinev1alpha1.MachineDeployment
	// current is the set of the current template, nil before it exists.
	current *machinev1alpha1.MachineSet
	// old are the other sets, oldest first.
	old []*machinev1alpha1.MachineSet
	// machines of the sets by the name of their set, if machines are updated in place. Those that are failed or deleted are left out.
	machines map[string][]*machinev1alpha1.Machine
	// moved is the number of machines that have moved to the current set in this step.
	moved int32
}

func (s *scope) sets() []*machinev1alpha1.MachineSet {
	if s.current == nil {
		return s.old
	}
	return append([]*machinev1alpha1.MachineSet{s.current}, s.old...)
}

// Reconcile takes one step towards the spec. Changes of the MachineSets trigger the next step.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	deployment := &machinev1alpha1.MachineDeployment{}
	if err := r.Client.Get(ctx, req.NamespacedName, deployment); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if deployment.DeletionTimestamp != nil {
		return reconcile.Result{}, r.delete(ctx, deployment)
	}
	err := patch.Metadata(ctx, r.Client, deployment, func() {
		controllerutil.AddFinalizer(deployment, machinev1alpha1.DeleteFinalizerName)
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	s, err := r.scope(ctx, deployment)
	if err != nil {
		return reconcile.Result{}, err
	}
	if deployment.Spec.RollbackTo != nil {
		return reconcile.Result{}, r.rollback(ctx, s)
	}
	err = r.step(ctx, s)
	return reconcile.Result{}, errors.Join(err, r.saveStatus(ctx, s, err))
}

// step updates the sets.
func (r *Reconciler) step(ctx context.Context, s *scope) error {
	if s.current == nil && !s.deployment.Spec.Paused {
		if err := r.create(ctx, s); err != nil {
			return err
		}
	}
	plan := plan(s)
	if s.inPlace() {
		plan = planInPlace(s)
	}
	for _, set := range s.sets() {
		if err := r.update(ctx, s, set, plan[set.Name]); err != nil {
			return err
		}
	}
	if s.inPlace() {
		if err := r.moveUpdated(ctx, s); err != nil {
			return err
		}
		if err := r.markCandidates(ctx, s); err != nil {
			return err
		}
	}
	return r.cleanUp(ctx, s)
}

// plan returns how many machines each set should have now.
func plan(s *scope) map[string]int32 {
	spec := &s.deployment.Spec
	in := rollout{desired: spec.Replicas, recreate: spec.Strategy.Type == machinev1alpha1.RecreateMachineDeploymentStrategyType, paused: spec.Paused}
	in.surge, in.unavailable = bounds(spec)
	if s.current != nil {
		in.current = count(s.current)
	}
	for _, set := range s.old {
		in.old = append(in.old, count(set))
	}
	current, old := in.next(s.current != nil)
	plan := map[string]int32{}
	if s.current != nil {
		plan[s.current.Name] = current
	}
	for i, set := range s.old {
		plan[set.Name] = old[i]
	}
	return plan
}

func count(set *machinev1alpha1.MachineSet) counts {
	return counts{wanted: set.Spec.Replicas, exist: set.Status.Replicas, available: set.Status.AvailableReplicas}
}

// delete removes the sets, and removes the finalizer of the deployment when they are gone.
func (r *Reconciler) delete(ctx context.Context, deployment *machinev1alpha1.MachineDeployment) error {
	if !controllerutil.ContainsFinalizer(deployment, machinev1alpha1.DeleteFinalizerName) {
		return nil
	}
	s, err := r.scope(ctx, deployment)
	if err != nil {
		return err
	}
	if len(s.sets()) > 0 {
		for _, set := range s.sets() {
			if err := r.remove(ctx, set); err != nil {
				return err
			}
		}
		return r.saveStatus(ctx, s, nil) // the deletion of the last set triggers the next reconciliation
	}
	return client.IgnoreNotFound(patch.Metadata(ctx, r.Client, deployment, func() {
		controllerutil.RemoveFinalizer(deployment, machinev1alpha1.DeleteFinalizerName)
	}))
}
