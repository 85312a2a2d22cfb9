package worker

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Delete implements contract.Actuator. The machine controller of the Shoot must run until it is done.
func (a *Actuator) Delete(ctx context.Context, _ *contract.Cluster, worker *extensionsv1alpha1.Worker) error {
	objects, err := a.list(ctx, worker.Namespace)
	if err != nil {
		return err
	}
	for i := range objects.machines {
		if err := a.spareDrain(ctx, &objects.machines[i]); err != nil {
			return err
		}
	}
	if err := a.remove(ctx, append(objects.makers(), pointers(objects.machines)...)); err != nil {
		return err
	}
	if left := len(objects.deployments) + len(objects.sets) + len(objects.machines); left > 0 {
		return contract.Waiting{For: fmt.Sprintf("%d machines to go", len(objects.machines))}
	}
	if err := a.remove(ctx, pointers(objects.classes)); err != nil {
		return err
	}
	if len(objects.classes) > 0 {
		return contract.Waiting{For: "machine classes to go"}
	}
	worker.Status.MachineDeployments, worker.Status.State = nil, nil
	return nil
}

// ForceDelete implements contract.Actuator. The machines are pods in the Shoot's namespace and are deleted with it.
func (a *Actuator) ForceDelete(ctx context.Context, _ *contract.Cluster, worker *extensionsv1alpha1.Worker) error {
	return a.forget(ctx, worker)
}

// Migrate implements contract.Actuator. It saves the state and removes the machine objects, but the machines stay.
// The machine controller of the Shoot must not run during this.
func (a *Actuator) Migrate(ctx context.Context, _ *contract.Cluster, worker *extensionsv1alpha1.Worker) error {
	objects, err := a.list(ctx, worker.Namespace)
	if err != nil {
		return err
	}
	saved := savedState(ctx, worker)
	current := newState(objects)
	covered := saved.covers(current)
	if !covered {
		saved = current
	}
	if saved.addClasses(current) || !covered {
		if worker.Status.State, err = saved.encode(); err != nil {
			return err
		}
		return contract.Waiting{For: "the state to be saved"} // before anything is removed
	}
	if err := a.release(ctx, worker.Namespace); err != nil {
		return err
	}
	return a.forget(ctx, worker)
}

// removeUnwanted deletes objects that are no longer in the plan. The first result says what is still to be waited
// for.
func (a *Actuator) removeUnwanted(ctx context.Context, namespace string, groups []group) (waiting, err error) {
	names, classes := sets.New[string](), sets.New[string]()
	for _, g := range groups {
		names.Insert(g.name)
		classes.Insert(g.class)
	}
	objects, err := a.list(ctx, namespace)
	if err != nil {
		return nil, err
	}
	var unwanted []client.Object
	for i, deployment := range objects.deployments {
		if !names.Has(deployment.Name) {
			unwanted = append(unwanted, &objects.deployments[i])
		}
	}
	used := classes.Clone()
	for i, set := range objects.sets {
		class := set.Spec.Template.Spec.Class.Name
		emptied := !classes.Has(class) && set.Spec.Replicas == 0 && set.Status.Replicas == 0
		if emptied || former(names, set.Labels) {
			unwanted = append(unwanted, &objects.sets[i])
		} else {
			used.Insert(class)
		}
	}
	left := 0
	for i, machine := range objects.machines {
		used.Insert(machine.Spec.Class.Name)
		if former(names, machine.Labels) {
			unwanted = append(unwanted, &objects.machines[i])
			left++
		}
	}
	for i, class := range objects.classes {
		if !used.Has(class.Name) {
			unwanted = append(unwanted, &objects.classes[i])
		}
	}
	if left > 0 {
		waiting = contract.Waiting{For: fmt.Sprintf("%d machines of former pools to go", left)}
	}
	return waiting, a.remove(ctx, unwanted)
}

// former reports whether labels belong to a group that is not in names. Objects without the label do not belong to
// the provider.
func former(names sets.Set[string], labels map[string]string) bool {
	name, ok := labels[nameLabel]
	return ok && !names.Has(name)
}

// remove deletes objects that are not being deleted yet.
func (a *Actuator) remove(ctx context.Context, objects []client.Object) error {
	for _, obj := range objects {
		if obj.GetDeletionTimestamp() != nil {
			continue
		}
		if err := a.Client.Delete(ctx, obj); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %s: %w", obj, obj.GetName(), err)
		}
	}
	return nil
}

// forget removes machine objects without any controller acting on the removal.
func (a *Actuator) forget(ctx context.Context, worker *extensionsv1alpha1.Worker) error {
	objects, err := a.list(ctx, worker.Namespace)
	if err != nil {
		return err
	}
	for _, obj := range objects.all() {
		if len(obj.GetFinalizers()) > 0 {
			before := obj.DeepCopyObject().(client.Object)
			obj.SetFinalizers(nil)
			if err := a.Client.Patch(ctx, obj, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("release %T %s: %w", obj, obj.GetName(), err)
			}
		}
	}
	if err := a.remove(ctx, objects.all()); err != nil {
		return err
	}
	if left := len(objects.all()); left > 0 {
		return contract.Waiting{For: fmt.Sprintf("%d machine objects to go", left)}
	}
	return nil
}

// spareDrain labels a machine so that its node is not drained. The node is deleted with the whole cluster.
func (a *Actuator) spareDrain(ctx context.Context, machine *v1alpha1.Machine) error {
	if machine.Labels[v1alpha1.ForceDeletionLabelKey] == v1alpha1.ForceDeletionLabelValue {
		return nil
	}
	before := machine.DeepCopy()
	if machine.Labels == nil {
		machine.Labels = map[string]string{}
	}
	machine.Labels[v1alpha1.ForceDeletionLabelKey] = v1alpha1.ForceDeletionLabelValue
	if err := a.Client.Patch(ctx, machine, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("label machine %s: %w", machine.Name, err)
	}
	return nil
}
