package worker

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/machine"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Actuator keeps machine objects in the Shoot's namespace.
type Actuator struct {
	// Client of the seed.
	Client client.Client
	// Reader of the seed without a cache, because the user data is written right before the Worker.
	Reader client.Reader
	// Clock tells the time for the status.
	Clock func() time.Time
	// Machines selects what machines are; pods if empty.
	Machines api.MachineRuntime
	// NodeImage returns the image of container machines, for a machine image of the CloudProfile and a Kubernetes
	// version. It is required for container machines.
	NodeImage func(machineImage, version, kubernetesVersion string) string
	// Image is the appliance image. Machine pods use it.
	Image string
	// Pods signs machine pods; nil signs none.
	Pods *podsignature.Signer
	// NoMachines says why this seed cannot have machines; empty if it can.
	NoMachines string
}

var _ contract.WorkerActuator = &Actuator{}

// Reconcile implements contract.Actuator. It is done when all desired machines are nodes and no other machines are
// left.
func (a *Actuator) Reconcile(ctx context.Context, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker) error {
	return a.reconcile(ctx, cluster, worker, state{})
}

// Restore implements contract.Actuator. It restores the machines that another seed has released, before the deployments that would
// make others.
func (a *Actuator) Restore(ctx context.Context, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker) error {
	saved, err := decodeState(worker.Status.State)
	if err != nil {
		return err
	}
	return a.reconcile(ctx, cluster, worker, saved)
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

// deployClass writes the class and the user data of a group. Machines need both.
func (a *Actuator) deployClass(ctx context.Context, g group, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker) error {
	userData, err := a.userData(ctx, worker.Namespace, g.pool.UserDataSecretRef)
	if err != nil {
		return err
	}
	credentials, err := credentialsOf(ctx, a.Client, worker.Spec.SecretRef)
	if err != nil {
		return err
	}
	spec, err := machineSpec(g, worker.Namespace, a.Image, a.Pods)
	if err != nil {
		return err
	}
	class := &v1alpha1.MachineClass{ObjectMeta: metav1.ObjectMeta{Namespace: worker.Namespace, Name: g.class}}
	if _, err := controllerutil.CreateOrUpdate(ctx, a.Client, class, func() error {
		fillClass(class, g, worker, cluster, spec)
		return nil
	}); err != nil {
		return fmt.Errorf("write machine class %s: %w", g.class, err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: worker.Namespace, Name: g.class}}
	if _, err := controllerutil.CreateOrUpdate(ctx, a.Client, secret, func() error {
		fillSecret(secret, credentials, userData)
		return controllerutil.SetOwnerReference(class, secret, a.Client.Scheme()) // deleted together with the class
	}); err != nil {
		return fmt.Errorf("write secret of machine class %s: %w", g.class, err)
	}
	if a.Machines != api.Containers {
		if err := machine.Refresh(ctx, a.Reader, a.Client, worker.Namespace, g.class, userData); err != nil {
			return err
		}
	}
	return nil
}

// deploy writes the deployment of a group.
func (a *Actuator) deploy(ctx context.Context, g group, cluster *contract.Cluster, worker *extensionsv1alpha1.Worker, saved state) (*v1alpha1.MachineDeployment, error) {
	deployment := &v1alpha1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: worker.Namespace, Name: g.name}}
	if _, err := controllerutil.CreateOrUpdate(ctx, a.Client, deployment, func() error {
		var existing *int32
		if deployment.ResourceVersion != "" {
			current := deployment.Spec.Replicas
			existing = &current
		}
		fillDeployment(deployment, g, worker.Spec.Region)
		deployment.Spec.Replicas = replicas(g, existing, saved.replicas(g.name), cluster.Hibernated())
		return nil
	}); err != nil {
		return nil, fmt.Errorf("write machine deployment %s: %w", g.name, err)
	}
	return deployment, nil
}

func (a *Actuator) userData(ctx context.Context, namespace string, ref corev1.SecretKeySelector) ([]byte, error) {
	secret := &corev1.Secret{}
	if err := a.Reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, secret); apierrors.IsNotFound(err) {
		return nil, contract.Waiting{For: "user data in secret " + ref.Name}
	} else if err != nil {
		return nil, fmt.Errorf("read user data: %w", err)
	}
	data, ok := secret.Data[ref.Key]
	if !ok {
		return nil, contract.Waiting{For: fmt.Sprintf("user data in key %s of secret %s", ref.Key, ref.Name)}
	}
	return data, nil
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
	worker.Status.State, err = newState(objects.deployments, objects.sets, objects.machines).encode()
	return err
}
