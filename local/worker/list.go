package worker

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// machineObjects are all machine objects of a namespace, each kind sorted by name.
type machineObjects struct {
	deployments []v1alpha1.MachineDeployment
	sets        []v1alpha1.MachineSet
	machines    []v1alpha1.Machine
	classes     []v1alpha1.MachineClass
}

func (a *Actuator) list(ctx context.Context, namespace string) (machineObjects, error) {
	var (
		in          = client.InNamespace(namespace)
		deployments v1alpha1.MachineDeploymentList
		sets        v1alpha1.MachineSetList
		machines    v1alpha1.MachineList
		classes     v1alpha1.MachineClassList
	)
	for _, list := range []client.ObjectList{&deployments, &sets, &machines, &classes} {
		if err := a.Client.List(ctx, list, in); err != nil {
			return machineObjects{}, fmt.Errorf("list machine objects: %w", err)
		}
	}
	slices.SortFunc(deployments.Items, func(a, b v1alpha1.MachineDeployment) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(sets.Items, func(a, b v1alpha1.MachineSet) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(machines.Items, func(a, b v1alpha1.Machine) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(classes.Items, func(a, b v1alpha1.MachineClass) int { return cmp.Compare(a.Name, b.Name) })
	return machineObjects{deployments.Items, sets.Items, machines.Items, classes.Items}, nil
}

// makers are the objects that create other objects, parents first.
func (o *machineObjects) makers() []client.Object {
	return append(pointers(o.deployments), pointers(o.sets)...)
}

// all are all objects, parents first. Classes come last, because deleting machines needs them.
func (o *machineObjects) all() []client.Object {
	return slices.Concat(o.makers(), pointers(o.machines), pointers(o.classes))
}

// pointers returns the addresses of the elements as objects.
func pointers[E any, T interface {
	*E
	client.Object
}](items []E) []client.Object {
	out := make([]client.Object, len(items))
	for i := range items {
		out[i] = T(&items[i])
	}
	return out
}
