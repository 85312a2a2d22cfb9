package worker

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// restore creates what another seed had, unless it was restored before.
func (a *Actuator) restore(ctx context.Context, groups []group, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker, saved state) error {
	for _, name := range slices.Sorted(maps.Keys(saved.MachineDeployments)) {
		if restored, err := a.exists(ctx, worker.Namespace, name); err != nil || restored {
			if err != nil {
				return err
			}
			continue // machines may have gone since
		}
		deployment := saved.MachineDeployments[name]
		if i := slices.IndexFunc(groups, func(g group) bool { return g.name == name }); i >= 0 {
			if err := a.restoreClasses(ctx, groups[i], cluster, worker, saved, deployment.classes()); err != nil {
				return err
			}
		}
		if err := a.restoreMachines(ctx, name, deployment); err != nil {
			return err
		}
	}
	return nil
}

// restoreClasses writes the classes of machines that a rolling update had not replaced yet, as they were saved. Without its class a machine
// can neither be made nor deleted. What it boots from is the present user data of its pool: the former one is not saved, and the machine is
// replaced soon. The image of machine pods and its signature are those of this seed.
func (a *Actuator) restoreClasses(ctx context.Context, g group, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker, saved state, classes []string) error {
	for _, name := range classes {
		if name == g.class {
			continue
		}
		former := g
		former.class, former.former = name, saved.class(name)
		if former.former != nil && a.Machines == api.Containers {
			spec := api.MachineSpec{}
			if err := api.Decode(&former.former.ProviderSpec, &spec); err != nil {
				return fmt.Errorf("saved machine class %s: %w", name, err)
			}
			former.nodeImage = cmp.Or(spec.NodeImage, g.nodeImage)
		}
		if err := a.deployClass(ctx, former, cluster, worker); err != nil {
			return err
		}
	}
	return nil
}

// restoreMachines creates the machines and machine sets that another seed had: the machines first, since a set without its machines
// makes new ones. They are ordered again under their old names, and so remain the same nodes of the shoot. Machines that are pods ended with
// the other seed's pods and boot again. Containers go on: the host gives them to this seed.
func (a *Actuator) restoreMachines(ctx context.Context, name string, saved deploymentState) error {
	for i := range saved.Machines {
		machine := saved.Machines[i].DeepCopy()
		machine.Spec.ProviderID = ""
		if err := a.Client.Create(ctx, machine); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("restore machine of %s: %w", name, err)
		}
	}
	for i := range saved.MachineSets {
		if err := a.Client.Create(ctx, saved.MachineSets[i].DeepCopy()); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("restore machine set of %s: %w", name, err)
		}
	}
	return nil
}

// exists reports whether a machine deployment exists. It is written after its machines are restored.
func (a *Actuator) exists(ctx context.Context, namespace, name string) (bool, error) {
	err := a.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &v1alpha1.MachineDeployment{})
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("read machine deployment %s: %w", name, err)
	}
	return err == nil, nil
}
