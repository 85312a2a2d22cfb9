package flow

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/nodelocaldns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// deployOSC writes what the machines of every pool contain.
func (p *Plan) deployOSC(ctx context.Context) error {
	dns, err := p.nameServer()
	if err != nil {
		return err
	}
	server, err := p.machineServer()
	if err != nil {
		return err
	}
	for _, worker := range p.Shoot.Spec.Provider.Workers {
		token, err := p.bootstrapToken(ctx, worker.Name)
		if err != nil {
			return err
		}
		values := operatingsystemconfig.Values{
			Namespace: p.namespace, Worker: worker, Version: p.kubeletVersion(worker), Kubelet: p.kubeletConfig(worker),
			APIServer:      server,
			CA:             p.secrets.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle],
			KubeletCA:      p.secrets.Bundle(constants.SecretNameCAKubelet).Data[secretsmanager.KeyBundle],
			BootstrapToken: token, ClusterDNS: dns, NodeLocalDNS: p.NodeLocalDNS(), CABundle: p.CloudProfile.Spec.CABundle,
		}
		if key := p.secrets.Current(constants.SecretNameSSHKeyPair); key != nil {
			values.SSHPublicKeys = key.Data[secretsmanager.KeyRSAPublic]
		}
		provision, reconcile, err := operatingsystemconfig.Objects(values)
		if err != nil {
			return err
		}
		for _, object := range []*extensionsv1alpha1.OperatingSystemConfig{provision, reconcile} {
			if err := p.deployExtension(ctx, object, extensionsv1alpha1.OperatingSystemConfigResource); err != nil {
				return err
			}
		}
	}
	return nil
}

// machineServer is the URL by which machines reach the API server: from outside, like everybody else.
func (p *Plan) machineServer() (string, error) {
	address, err := p.fromNodes(func(ports frontdoor.Ports) int32 { return ports.TLS })
	return "https://" + address, err
}

// nameServer is what pods ask for names: CoreDNS, unless a cache on their node cannot take over its address.
func (p *Plan) nameServer() (string, error) {
	if p.NodeLocalDNS() && p.IPVS() {
		return nodelocaldns.Address, nil
	}
	ip, err := p.ServiceIP(10)
	return ip.String(), err
}

// oscKey is the key of the content of a pool's machines.
func (p *Plan) oscKey(worker gardencorev1beta1.Worker) string {
	return operatingsystemconfig.Key(worker, p.kubeletVersion(worker), p.NodeLocalDNS())
}

func (p *Plan) kubeletVersion(worker gardencorev1beta1.Worker) string {
	if worker.Kubernetes != nil {
		return ptr.Deref(worker.Kubernetes.Version, p.Version())
	}
	return p.Version()
}

// kubeletConfig of a pool replaces the one of the shoot, it does not add to it.
func (p *Plan) kubeletConfig(worker gardencorev1beta1.Worker) *gardencorev1beta1.KubeletConfig {
	if worker.Kubernetes != nil && worker.Kubernetes.Kubelet != nil {
		return worker.Kubernetes.Kubelet
	}
	return p.Shoot.Spec.Kubernetes.Kubelet
}

// bootstrapToken makes the token by which new machines of a pool ask for their certificates. It is written to the shoot at
// once rather than through the resource manager, so that no machine comes before its token.
func (p *Plan) bootstrapToken(ctx context.Context, pool string) (string, error) {
	config := secretsmanager.BasicAuth{Name: "bootstrap-token-" + pool, Username: secretsmanager.TokenID(p.UID(), pool), PasswordLength: 16}
	secret, err := p.secrets.Generate(ctx, config)
	if err != nil {
		return "", fmt.Errorf("generate bootstrap token: %w", err)
	}
	id, password := string(secret.Data[secretsmanager.KeyUsername]), string(secret.Data[secretsmanager.KeyPassword])
	if p.shoot == nil { // asleep: nobody boots
		return id + "." + password, nil
	}
	_, err = p.inShoot().Apply(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "bootstrap-token-" + id, Namespace: metav1.NamespaceSystem},
		Type:       corev1.SecretTypeBootstrapToken,
		StringData: map[string]string{
			"description":                    "Bootstrap token of the machines of worker pool " + pool,
			"token-id":                       id,
			"token-secret":                   password,
			"usage-bootstrap-authentication": "true",
			"usage-bootstrap-signing":        "true",
			"auth-extra-groups":              "system:bootstrappers:worker-pools",
		},
	})
	return id + "." + password, err
}

// awaitOSC keeps the results: the Worker needs to know where they are.
func (p *Plan) awaitOSC(ctx context.Context) error {
	for _, worker := range p.Shoot.Spec.Provider.Workers {
		key := p.oscKey(worker)
		for _, suffix := range []string{"-init", "-original"} {
			object := &extensionsv1alpha1.OperatingSystemConfig{ObjectMeta: metav1.ObjectMeta{Name: key + suffix, Namespace: p.namespace}}
			if err := p.awaitExtension(ctx, object, extensionsv1alpha1.OperatingSystemConfigResource); err != nil {
				return err
			}
			if suffix == "-init" {
				p.userData[worker.Name] = object
			}
		}
	}
	return nil
}

// wantedOSC tells whether an object belongs to a pool as it is now.
func (p *Plan) wantedOSC(object client.Object) bool {
	for _, worker := range p.Shoot.Spec.Provider.Workers {
		key := p.oscKey(worker)
		if name := object.GetName(); name == key+"-init" || name == key+"-original" {
			return true
		}
	}
	return false
}

func (p *Plan) deleteStaleOSC(ctx context.Context) error {
	return p.objects.DeleteAll(ctx, extensionsv1alpha1.OperatingSystemConfigResource, p.namespace, p.wantedOSC)
}

func (p *Plan) awaitStaleOSCGone(ctx context.Context) error {
	return p.objects.WaitAllGone(ctx, extensionsv1alpha1.OperatingSystemConfigResource, p.namespace, p.wantedOSC)
}

func (p *Plan) newNetwork() *extensionsv1alpha1.Network {
	return &extensionsv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name, Namespace: p.namespace}}
}

func (p *Plan) deployNetwork(ctx context.Context) error {
	object := p.newNetwork()
	object.Spec = extensionsv1alpha1.NetworkSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: p.NetworkType()}, PodCIDR: p.PodCIDR(), ServiceCIDR: p.ServiceCIDR(),
	}
	if networking := p.Shoot.Spec.Networking; networking != nil {
		object.Spec.ProviderConfig = networking.ProviderConfig
		for _, family := range networking.IPFamilies {
			object.Spec.IPFamilies = append(object.Spec.IPFamilies, extensionsv1alpha1.IPFamily(family))
		}
	}
	return p.deployExtension(ctx, object, extensionsv1alpha1.NetworkResource)
}

func (p *Plan) awaitNetwork(ctx context.Context) error {
	return p.awaitExtension(ctx, p.newNetwork(), extensionsv1alpha1.NetworkResource)
}

func (p *Plan) destroyNetwork(ctx context.Context) error {
	return p.objects.Delete(ctx, p.newNetwork())
}

func (p *Plan) awaitNetworkGone(ctx context.Context) error {
	return p.objects.WaitGone(ctx, p.newNetwork())
}

func (p *Plan) newWorker() *extensionsv1alpha1.Worker {
	return &extensionsv1alpha1.Worker{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name, Namespace: p.namespace}}
}

func (p *Plan) deployWorker(ctx context.Context) error {
	object := p.newWorker()
	object.Spec = extensionsv1alpha1.WorkerSpec{
		DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: p.Shoot.Spec.Provider.Type},
		Region:      p.Shoot.Spec.Region, SecretRef: p.cloudProviderRef(), InfrastructureProviderStatus: p.infrastructureStatus(),
	}
	if key := p.secrets.Current(constants.SecretNameSSHKeyPair); key != nil {
		object.Spec.SSHPublicKey = key.Data[secretsmanager.KeyRSAPublic]
	}
	for _, worker := range p.Shoot.Spec.Provider.Workers {
		pool, err := p.pool(worker)
		if err != nil {
			return err
		}
		object.Spec.Pools = append(object.Spec.Pools, pool)
	}
	return p.deployExtension(ctx, object, extensionsv1alpha1.WorkerResource)
}

// pool is a pool of the Shoot in the words of the extension.
func (p *Plan) pool(worker gardencorev1beta1.Worker) (extensionsv1alpha1.WorkerPool, error) {
	osc := p.userData[worker.Name]
	if osc == nil || osc.Status.CloudConfig == nil {
		return extensionsv1alpha1.WorkerPool{}, fmt.Errorf("operating system config of worker pool %q has no result", worker.Name)
	}
	pool := extensionsv1alpha1.WorkerPool{
		Name: worker.Name, Minimum: worker.Minimum, Maximum: worker.Maximum,
		MaxSurge:       ptr.Deref(worker.MaxSurge, intstr.FromInt32(1)),
		MaxUnavailable: ptr.Deref(worker.MaxUnavailable, intstr.FromInt32(0)),
		Annotations:    worker.Annotations, Labels: p.nodeLabels(worker), Taints: worker.Taints,
		MachineType: worker.Machine.Type, Architecture: ptr.To(ptr.Deref(worker.Machine.Architecture, gardencorev1beta1.ArchitectureAMD64)),
		ProviderConfig:        worker.ProviderConfig,
		KubernetesVersion:     ptr.To(p.kubeletVersion(worker)),
		KubeletConfig:         p.kubeletConfig(worker),
		KubeletDataVolumeName: worker.KubeletDataVolumeName,
		Zones:                 worker.Zones, Priority: worker.Priority, UpdateStrategy: worker.UpdateStrategy,
		MachineControllerManagerSettings: worker.MachineControllerManagerSettings,
		UserDataSecretRef: corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: osc.Status.CloudConfig.SecretRef.Name},
			Key:                  extensionsv1alpha1.OperatingSystemConfigSecretDataKey,
		},
		NodeTemplate: p.nodeTemplate(worker),
	}
	if image := worker.Machine.Image; image != nil {
		pool.MachineImage = extensionsv1alpha1.MachineImage{Name: image.Name, Version: ptr.Deref(image.Version, "")}
	}
	if v := worker.Volume; v != nil {
		pool.Volume = &extensionsv1alpha1.Volume{Name: v.Name, Type: v.Type, Size: v.VolumeSize, Encrypted: v.Encrypted}
	}
	for _, v := range worker.DataVolumes {
		pool.DataVolumes = append(pool.DataVolumes, extensionsv1alpha1.DataVolume{Name: v.Name, Type: v.Type, Size: v.VolumeSize, Encrypted: v.Encrypted})
	}
	if a := worker.ClusterAutoscaler; a != nil {
		text := func(value *float64) *string {
			if value == nil {
				return nil
			}
			return ptr.To(strconv.FormatFloat(*value, 'f', -1, 64))
		}
		pool.ClusterAutoscaler = &extensionsv1alpha1.ClusterAutoscalerOptions{
			ScaleDownUtilizationThreshold:    text(a.ScaleDownUtilizationThreshold),
			ScaleDownGpuUtilizationThreshold: text(a.ScaleDownGpuUtilizationThreshold),
			ScaleDownUnneededTime:            a.ScaleDownUnneededTime, ScaleDownUnreadyTime: a.ScaleDownUnreadyTime,
			MaxNodeProvisionTime: a.MaxNodeProvisionTime,
		}
	}
	return pool, nil
}

// nodeLabels are those of the pool and those by which Gardener knows its nodes.
func (p *Plan) nodeLabels(worker gardencorev1beta1.Worker) map[string]string {
	labels := map[string]string{}
	for key, value := range worker.Labels {
		labels[key] = value
	}
	labels["node.kubernetes.io/role"] = "node"
	labels["kubernetes.io/arch"] = ptr.Deref(worker.Machine.Architecture, gardencorev1beta1.ArchitectureAMD64)
	labels[constants.LabelWorkerPool] = worker.Name
	labels[constants.LabelWorkerPoolDeprecated] = worker.Name
	labels[constants.LabelWorkerKubernetesVersion] = p.kubeletVersion(worker)
	labels[constants.LabelNodeLocalDNS] = strconv.FormatBool(p.NodeLocalDNS())
	if worker.SystemComponents == nil || worker.SystemComponents.Allow {
		labels[constants.LabelWorkerPoolSystemComponents] = "true"
	}
	cri := worker.CRI
	if cri == nil {
		cri = &gardencorev1beta1.CRI{Name: gardencorev1beta1.CRINameContainerD}
	}
	labels[constants.LabelWorkerCRIName] = string(cri.Name)
	for _, runtime := range cri.ContainerRuntimes {
		labels[constants.LabelPrefixContainerRuntimeWorker+runtime.Type] = "true"
	}
	return labels
}

// nodeTemplate tells the autoscaler how large a node of an empty pool would be.
func (p *Plan) nodeTemplate(worker gardencorev1beta1.Worker) *extensionsv1alpha1.NodeTemplate {
	for _, machine := range p.CloudProfile.Spec.MachineTypes {
		if machine.Name == worker.Machine.Type {
			return &extensionsv1alpha1.NodeTemplate{Capacity: corev1.ResourceList{
				corev1.ResourceCPU: machine.CPU, corev1.ResourceMemory: machine.Memory, "gpu": machine.GPU,
			}}
		}
	}
	return nil
}

// awaitMachineDeployments waits for the list of machine deployments, which is there long before the machines are.
func (p *Plan) awaitMachineDeployments(ctx context.Context) error {
	object := p.newWorker()
	return p.objects.WaitFor(ctx, object, p.stamps.get(object, extensionsv1alpha1.WorkerResource), func() error {
		if len(object.Status.MachineDeployments) == 0 && Finished(object) != nil {
			return errors.New("machine deployments have not been reported yet")
		}
		return nil
	})
}

func (p *Plan) awaitWorker(ctx context.Context) error {
	return p.awaitExtension(ctx, p.newWorker(), extensionsv1alpha1.WorkerResource)
}

func (p *Plan) destroyWorker(ctx context.Context) error {
	return p.objects.Delete(ctx, p.newWorker())
}

func (p *Plan) awaitWorkerGone(ctx context.Context) error {
	return p.objects.WaitGone(ctx, p.newWorker())
}

// awaitTunnel waits until the API server reaches the kubelet of a node. A shoot without nodes has nothing to reach.
func (p *Plan) awaitTunnel(ctx context.Context) error {
	return poll(ctx, func() error { return health.Tunnel(ctx, p.shoot, p.shootConfig) })
}

func (p *Plan) deployRuntimes(ctx context.Context) error {
	return p.eachRuntime(func(object *extensionsv1alpha1.ContainerRuntime, worker gardencorev1beta1.Worker, config *runtime.RawExtension) error {
		object.Spec = extensionsv1alpha1.ContainerRuntimeSpec{
			BinaryPath: operatingsystemconfig.BinaryPath,
			WorkerPool: extensionsv1alpha1.ContainerRuntimeWorkerPool{
				Name: worker.Name, Selector: metav1.LabelSelector{MatchLabels: map[string]string{constants.LabelWorkerPool: worker.Name}},
			},
			DefaultSpec: object.Spec.DefaultSpec,
		}
		object.Spec.ProviderConfig = config
		return p.deployExtension(ctx, object, extensionsv1alpha1.ContainerRuntimeResource)
	})
}

func (p *Plan) awaitRuntimes(ctx context.Context) error {
	return p.eachRuntime(func(object *extensionsv1alpha1.ContainerRuntime, _ gardencorev1beta1.Worker, _ *runtime.RawExtension) error {
		return p.awaitExtension(ctx, object, extensionsv1alpha1.ContainerRuntimeResource)
	})
}

func (p *Plan) eachRuntime(do func(*extensionsv1alpha1.ContainerRuntime, gardencorev1beta1.Worker, *runtime.RawExtension) error) error {
	for _, worker := range p.Shoot.Spec.Provider.Workers {
		if worker.CRI == nil {
			continue
		}
		for _, wanted := range worker.CRI.ContainerRuntimes {
			object := &extensionsv1alpha1.ContainerRuntime{ObjectMeta: metav1.ObjectMeta{Name: wanted.Type + "-" + worker.Name, Namespace: p.namespace}}
			object.Spec.Type = wanted.Type
			if err := do(object, worker, wanted.ProviderConfig); err != nil {
				return err
			}
		}
	}
	return nil
}

// wantedRuntime tells whether an object belongs to a pool as it is now. A shoot that is deleted wants none.
func (p *Plan) wantedRuntime(object client.Object) bool {
	found := errors.New("found")
	return p.Shoot.DeletionTimestamp == nil && p.eachRuntime(func(wanted *extensionsv1alpha1.ContainerRuntime, _ gardencorev1beta1.Worker, _ *runtime.RawExtension) error {
		if wanted.Name == object.GetName() {
			return found
		}
		return nil
	}) != nil
}

func (p *Plan) deleteStaleRuntimes(ctx context.Context) error {
	return p.objects.DeleteAll(ctx, extensionsv1alpha1.ContainerRuntimeResource, p.namespace, p.wantedRuntime)
}

func (p *Plan) awaitStaleRuntimesGone(ctx context.Context) error {
	return p.objects.WaitAllGone(ctx, extensionsv1alpha1.ContainerRuntimeResource, p.namespace, p.wantedRuntime)
}
