package watchdog

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// nodes are the names of the nodes whose machines are to stay. The seed knows them, where users of the shoot cannot write. A machine that
// goes takes its node with it, as soon as machine-controller-manager runs: it must not keep that from running.
func (r *Reconciler) nodes(ctx context.Context, namespace string) (sets.Set[string], error) {
	list := &machinev1alpha1.MachineList{}
	if err := r.Seed.List(ctx, list, client.InNamespace(namespace), fromCache()); err != nil {
		return nil, fmt.Errorf("list machines in namespace %q: %w", namespace, err)
	}
	out := sets.New[string]()
	for i := range list.Items {
		if machine := &list.Items[i]; stays(machine) {
			out.Insert(machine.Labels[machinev1alpha1.NodeLabelKey])
		}
	}
	return out, nil
}

func stays(machine *machinev1alpha1.Machine) bool {
	switch machine.Status.CurrentStatus.Phase {
	case machinev1alpha1.MachineTerminating, machinev1alpha1.MachineFailed:
		return false
	}
	return machine.DeletionTimestamp == nil && machine.Labels[machinev1alpha1.NodeLabelKey] != ""
}
