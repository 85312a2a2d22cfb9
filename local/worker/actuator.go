package worker

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/machine"
	"github.com/gardener-up/gardener-up/providers/contract"
)

var _ contract.WorkerActuator = &Actuator{}

// Reconcile implements contract.Actuator. It is done when all desired machines are nodes and no other machines are
// left.
func (a *Actuator) Reconcile(ctx context.Context, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker) error {
	return a.reconcile(ctx, cluster, worker, state{})
}

// Restore implements contract.Actuator. It restores the machines that another seed has released, before the deployments that would
// make others.
func (a *Actuator) Restore(ctx context.Context, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker) error {
	return a.reconcile(ctx, cluster, worker, savedState(ctx, worker))
}

// savedState is empty if what was saved cannot be read: the pools then get other machines.
func savedState(ctx context.Context, worker *extensionsv1alpha1.Worker) state {
	saved, err := decodeState(worker.Status.State)
	if err != nil {
		log.FromContext(ctx).Error(err, "The saved state of the machines is of no use")
		return state{}
	}
	return saved
}

func (a *Actuator) reconcile(ctx context.Context, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker, saved state) error {
	if cluster == nil || cluster.Shoot == nil {
		return contract.Waiting{For: "the cluster object"}
	}
	if a.NoMachines != "" && len(worker.Spec.Pools) > 0 {
		return contract.Permanent(fmt.Errorf("machines of type %q are not possible here: %s", api.Type, a.NoMachines), gardencorev1beta1.ErrorConfigurationProblem)
	}
	groups := plan(worker, cluster, a.nodeImage)
	for _, g := range groups {
		if err := a.deployClass(ctx, g, cluster, worker); err != nil {
			return err
		}
	}
	if err := a.restore(ctx, groups, cluster, worker, saved); err != nil {
		return err
	}
	var deployed []*v1alpha1.MachineDeployment
	for _, g := range groups {
		deployment, err := a.deploy(ctx, g, cluster, worker, saved)
		if err != nil {
			return err
		}
		deployed = append(deployed, deployment)
	}
	if a.Machines != api.Containers {
		if err := machine.Update(ctx, a.Reader, a.Client, worker.Namespace, a.Image, a.Pods); err != nil {
			return err
		}
	}
	worker.Status.MachineDeployments = deployments(groups)
	a.noteUpdate(worker)
	leftovers, err := a.removeUnwanted(ctx, worker.Namespace, groups)
	if err != nil {
		return err
	}
	if err := a.saveState(ctx, worker); err != nil {
		return err
	}
	if cluster.Hibernated() {
		return a.asleep(ctx, worker.Namespace, deployed)
	}
	if err := ready(deployed); err != nil {
		return err
	}
	if leftovers != nil {
		return leftovers
	}
	objects, err := a.list(ctx, worker.Namespace)
	if err != nil {
		return err
	}
	return surplus(deployed, objects.machines)
}

// asleep returns nil if no machine is left. It does not ask what the machine controller has observed: that controller
// does not run in a Shoot that sleeps, and never ran in a Shoot that was created hibernated. What it has to do for
// changed or removed pools it does when the Shoot wakes up.
func (a *Actuator) asleep(ctx context.Context, namespace string, deployed []*v1alpha1.MachineDeployment) error {
	objects, err := a.list(ctx, namespace)
	if err != nil {
		return err
	}
	if len(objects.machines) == 0 {
		return nil
	}
	for _, deployment := range deployed {
		if err := failure(deployment); err != nil {
			return err
		}
	}
	return surplus(deployed, objects.machines)
}

// nodeImage is the image of a pool's machines; empty if they are not containers.
func (a *Actuator) nodeImage(pool *extensionsv1alpha1.WorkerPool, kubernetesVersion string) string {
	if a.Machines != api.Containers {
		return ""
	}
	return a.NodeImage(pool.MachineImage.Name, pool.MachineImage.Version, kubernetesVersion)
}

// noteUpdate marks, once per operation, that the machine deployments in the status belong to this operation.
func (a *Actuator) noteUpdate(worker *extensionsv1alpha1.Worker) {
	noted, last := worker.Status.MachineDeploymentsLastUpdateTime, worker.Status.LastOperation
	if noted != nil && last != nil && noted.After(last.LastUpdateTime.Time) {
		return
	}
	now := metav1.NewTime(a.Clock())
	worker.Status.MachineDeploymentsLastUpdateTime = &now
}

// saveState writes the current machine objects into the status.
func (a *Actuator) saveState(ctx context.Context, worker *extensionsv1alpha1.Worker) error {
	objects, err := a.list(ctx, worker.Namespace)
	if err != nil {
		return err
	}
	worker.Status.State, err = newState(objects).encode()
	return err
}
