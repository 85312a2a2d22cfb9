package flow

import (
	"context"
	"fmt"
	"net"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubescheduler"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/machinecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/shootsystem"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// awake tells whether the control plane runs in this flow: also while it falls asleep, but not once it sleeps.
func (p *Plan) awake() bool {
	return !p.Hibernated() || p.Facts.APIServerRuns || p.Shoot.DeletionTimestamp != nil
}

func (p *Plan) awakeReplicas() int32 {
	if p.awake() {
		return 1
	}
	return 0
}

func (p *Plan) deployResourceManager(ctx context.Context) error {
	mount, err := resourcemanager.GenerateAccess(ctx, p.secrets)
	if err != nil {
		return err
	}
	host, err := p.serviceHost()
	if err != nil {
		return err
	}
	objects, _ := resourcemanager.Objects(resourcemanager.Values{
		Namespace: p.namespace, Replicas: p.awakeReplicas(), ClusterIdentity: p.SeedIdentity, ServiceHost: host, Access: mount,
	})
	if err := p.seed.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	return p.deployManaged(ctx, shootsystem.ResourceAPIServer, false, shootsystem.APIServer()...)
}

// serviceHost is empty unless nodes reach the API server at the port of HTTPS: pods are told another host, but no other port.
// It is empty, too, where nodes know the name and pods do not; there the Service kubernetes leads to the API server.
func (p *Plan) serviceHost() (string, error) {
	if p.tunnelled() {
		return "", nil
	}
	server, err := p.fromNodes(func(ports frontdoor.Ports) int32 { return ports.TLS })
	if err != nil {
		return "", err
	}
	if host, port, err := net.SplitHostPort(server); err == nil && port == "443" {
		return host, nil
	}
	return "", nil
}

func (p *Plan) awaitResourceManager(ctx context.Context) error {
	return p.awaitDeployment(ctx, resourcemanager.Name)
}

func (p *Plan) destroyResourceManager(ctx context.Context) error {
	if err := p.deleteDeployment(ctx, resourcemanager.Name); err != nil {
		return err
	}
	return p.deleteServiceAccount(ctx, resourcemanager.Name)
}

func (p *Plan) deleteServiceAccount(ctx context.Context, name string) error {
	meta := metav1.ObjectMeta{Name: name, Namespace: p.namespace}
	return p.delete(ctx, &rbacv1.RoleBinding{ObjectMeta: meta}, &rbacv1.Role{ObjectMeta: meta}, &corev1.ServiceAccount{ObjectMeta: meta})
}

func (p *Plan) deployControllers(ctx context.Context) error {
	secrets, err := kubecontrollermanager.GenerateSecrets(ctx, p.secrets)
	if err != nil {
		return err
	}
	_, err = p.seed.Apply(ctx, kubecontrollermanager.Deployment(kubecontrollermanager.Values{
		Namespace: p.namespace, Replicas: p.awakeReplicas(), Version: p.Version(), Config: p.Shoot.Spec.Kubernetes.KubeControllerManager,
		MaxPods: p.MaxPods(), PodCIDR: p.PodCIDR(), ServiceCIDR: p.ServiceCIDR(), Workerless: p.Workerless(), Secrets: secrets,
	}))
	return err
}

func (p *Plan) awaitControllers(ctx context.Context) error {
	return p.awaitDeployment(ctx, kubecontrollermanager.Name)
}

func (p *Plan) deployScheduler(ctx context.Context) error {
	secrets, err := kubescheduler.GenerateSecrets(ctx, p.secrets)
	if err != nil {
		return err
	}
	config, deployment, err := kubescheduler.Objects(kubescheduler.Values{
		Namespace: p.namespace, Replicas: p.awakeReplicas(), Version: p.Version(), Config: p.Shoot.Spec.Kubernetes.KubeScheduler, Secrets: secrets,
	})
	if err != nil {
		return err
	}
	return p.seed.ApplyAll(ctx, config, deployment)
}

func (p *Plan) deployMachines(ctx context.Context) error {
	mount, err := machinecontrollermanager.GenerateAccess(ctx, p.secrets)
	if err != nil {
		return err
	}
	objects, _ := machinecontrollermanager.Objects(machinecontrollermanager.Values{Namespace: p.namespace, Replicas: p.awakeReplicas(), Access: mount})
	if err := p.seed.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	return p.deployManaged(ctx, shootsystem.ResourceMachines, false, machinecontrollermanager.ShootObjects()...)
}

// scaleDownMachines stops the controller when the last machine is gone: a machine that is being drained needs it to the end.
func (p *Plan) scaleDownMachines(ctx context.Context) error {
	err := poll(ctx, func() error {
		machines := &machinev1alpha1.MachineList{}
		if err := p.SeedClient.List(ctx, machines, client.InNamespace(p.namespace), client.Limit(1)); err != nil {
			return fmt.Errorf("list machines: %w", err)
		}
		if len(machines.Items) > 0 {
			return fmt.Errorf("machine %q is still there", machines.Items[0].Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.scale(ctx, machinecontrollermanager.Name, 0)
}

func (p *Plan) deleteMachines(ctx context.Context) error {
	if err := p.deleteDeployment(ctx, machinecontrollermanager.Name); err != nil {
		return err
	}
	return p.deleteServiceAccount(ctx, machinecontrollermanager.Name)
}

func (p *Plan) newControlPlane() *extensionsv1alpha1.ControlPlane {
	return &extensionsv1alpha1.ControlPlane{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name, Namespace: p.namespace}}
}

func (p *Plan) deployControlPlane(ctx context.Context) error {
	object := p.newControlPlane()
	object.Spec = extensionsv1alpha1.ControlPlaneSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{
			Type: p.Shoot.Spec.Provider.Type, ProviderConfig: p.Shoot.Spec.Provider.ControlPlaneConfig,
		},
		Region: p.Shoot.Spec.Region, SecretRef: p.cloudProviderRef(), InfrastructureProviderStatus: p.infrastructureStatus(),
	}
	return p.deployExtension(ctx, object, extensionsv1alpha1.ControlPlaneResource)
}

func (p *Plan) infrastructureStatus() *runtime.RawExtension {
	if p.infrastructure == nil {
		return nil
	}
	return p.infrastructure.Status.ProviderStatus
}

func (p *Plan) awaitControlPlane(ctx context.Context) error {
	return p.awaitExtension(ctx, p.newControlPlane(), extensionsv1alpha1.ControlPlaneResource)
}

func (p *Plan) destroyControlPlane(ctx context.Context) error {
	return p.objects.Delete(ctx, p.newControlPlane())
}

func (p *Plan) awaitControlPlaneGone(ctx context.Context) error {
	return p.objects.WaitGone(ctx, p.newControlPlane())
}

// hibernate stops what is left of the control plane: those who talk to the API server before it, it before its etcds.
func (p *Plan) hibernate(ctx context.Context) error {
	asleep := append(podAutoscaling(), machinecontrollermanager.Name, kubecontrollermanager.Name, kubescheduler.Name, resourcemanager.Name)
	if p.tunnelled() {
		asleep = append(asleep, p.tunnelMode().Server)
	}
	for _, name := range asleep {
		if err := p.scale(ctx, name, 0); err != nil {
			return err
		}
	}
	if err := p.scale(ctx, names.APIServer, 0); err != nil {
		return err
	}
	if err := p.awaitDeployment(ctx, names.APIServer); err != nil {
		return fmt.Errorf("stop kube-apiserver: %w", err)
	}
	return p.scaleEtcd(ctx, 0)
}
