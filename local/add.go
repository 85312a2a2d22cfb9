package local

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/owner"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	serving "github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/backup"
	"github.com/gardener-up/gardener-up/local/bastion"
	"github.com/gardener-up/gardener-up/local/containerruntime"
	"github.com/gardener-up/gardener-up/local/controlplane"
	"github.com/gardener-up/gardener-up/local/dns"
	"github.com/gardener-up/gardener-up/local/extension"
	"github.com/gardener-up/gardener-up/local/infrastructure"
	"github.com/gardener-up/gardener-up/local/network"
	"github.com/gardener-up/gardener-up/local/oidcservice"
	"github.com/gardener-up/gardener-up/local/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/local/registrycache"
	"github.com/gardener-up/gardener-up/local/shootwebhook"
	"github.com/gardener-up/gardener-up/local/volume"
	"github.com/gardener-up/gardener-up/local/webhook"
	"github.com/gardener-up/gardener-up/local/worker"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/healthcheck"
	"github.com/gardener-up/gardener-up/providers/ownership"
	"github.com/gardener-up/gardener-up/providers/reconcile"
	queues "github.com/gardener-up/gardener-up/providers/reconcile/workers"
	providershootwebhook "github.com/gardener-up/gardener-up/providers/shootwebhook"
	providerwebhook "github.com/gardener-up/gardener-up/providers/webhook"
)

// Name of the provider, of its ControllerRegistration and the prefix of its controllers.
const Name = "provider-local"

// Config says where the provider keeps data outside of the API.
type Config struct {
	// Zone is served by the landscape's DNS server.
	Zone dns.Zone
	// BackupDir is the absolute directory for buckets.
	BackupDir string
	// VolumeDir is the absolute directory for volumes of the seed; empty if the seed provides its own.
	VolumeDir string
	// ShootVolumeDir is the absolute directory for volumes of shoots whose machines are pods. All seeds of a landscape have the same.
	ShootVolumeDir string
	// Network and Storage are YAML documents that are applied to Shoots whose nodes do not bring a pod network or
	// volumes. Network is a template. See network.Actuator and controlplane.Actuator.
	Network string
	Storage []byte
	// ShootConfig makes the configuration of a client from the kubeconfig of a Shoot, which names a server inside the seed. It is needed to
	// check the networks of Shoots; nil if they are not checked. Without Network, the nodes tell how it is.
	ShootConfig func(kubeconfig []byte) (*rest.Config, error)
	// Machines selects the kind of the machines of the seed's shoots: pods if empty, or containers of the host's engine.
	Machines api.MachineRuntime
	// NodeImage returns the image of container machines for a machine image and a Kubernetes version.
	NodeImage func(machineImage, version, kubernetesVersion string) string
	// Image is the appliance image. Pods of the provider use it. Without an image nothing serves the webhooks for shoots.
	Image string
	// Pods signs the pods of machines; nil signs none.
	Pods *podsignature.Signer
	// Resolver asks the name server that serves Zone for the owners of shoots; nil if the seed's owners are not checked.
	Resolver owner.Resolver
	// NoMachines says why this seed cannot have machines of the provider. It is empty if it can.
	NoMachines string
	// Webhook is how the seed's API server calls the webhook for control planes and machines.
	Webhook serving.Way
}

// AddToManager adds the controllers of the provider to the manager of a seed, whose scheme knows the groups extensions,
// resources and machine. One provider serves one seed.
func AddToManager(mgr manager.Manager, cfg Config) error {
	c, reader := mgr.GetClient(), mgr.GetAPIReader()
	var owners reconcile.Ownership
	if cfg.Resolver != nil {
		owners = &ownership.Checks{Reader: reader, Resolver: cfg.Resolver, Clock: clock.RealClock{}}
	}
	store := &backup.Store{Client: c, Dir: cfg.BackupDir}
	workers := of[*extensionsv1alpha1.Worker](&worker.Actuator{
		Client: c, Reader: reader, Clock: time.Now, Machines: cfg.Machines, NodeImage: cfg.NodeImage, Image: cfg.Image, Pods: cfg.Pods, NoMachines: cfg.NoMachines,
	})
	workers.WokenBy = []client.Object{&machinev1alpha1.MachineDeployment{}} // a Shoot waits longest for its machines
	networks := of[*extensionsv1alpha1.Network](&network.Actuator{Client: c, Manifest: cfg.Network, Image: cfg.Image, Unchecked: cfg.ShootConfig == nil}, network.Types()...)
	networks.WokenBy = []client.Object{&resourcesv1alpha1.ManagedResource{}} // a deletion waits for that of the network
	systems := &operatingsystemconfig.Actuator{Client: c, Reader: reader}
	err := errors.Join(
		mgr.Add(&dns.Republisher{Reader: c, Zone: cfg.Zone, Type: api.Type}),
		addVolumes(mgr, cfg.VolumeDir),
		addWebhook(mgr, cfg),
		addShootWebhooks(mgr, owners, cfg),
		add(mgr, owners, of[*extensionsv1alpha1.Infrastructure](infrastructure.New(cfg.Machines == api.Containers))),
		add(mgr, owners, of[*extensionsv1alpha1.ControlPlane](&controlplane.Actuator{
			Client: c, Storage: cfg.Storage, VolumeDir: cfg.ShootVolumeDir, Image: cfg.Image, Pods: cfg.Pods,
		})),
		add(mgr, owners, networks),
		addNetworkHealth(mgr, cfg),
		add(mgr, owners, of[*extensionsv1alpha1.OperatingSystemConfig](systems.Contract(), operatingsystemconfig.Types()...)),
		add(mgr, owners, workers),
		(&worker.Credentials{Client: c, Name: Name + "-credentials"}).AddToManager(mgr, queues.Options{}),
		add(mgr, owners, of[*extensionsv1alpha1.DNSRecord](dns.New(cfg.Zone))),
		add(mgr, owners, of[*extensionsv1alpha1.BackupBucket](store.Buckets())),
		add(mgr, owners, of[*extensionsv1alpha1.BackupEntry](store.Entries())),
		add(mgr, owners, of[*extensionsv1alpha1.Bastion](bastion.New())),
		add(mgr, owners, of[*extensionsv1alpha1.ContainerRuntime](
			&containerruntime.Actuator{Image: cfg.Image, Client: c, Reader: reader, Machines: cfg.Machines}, containerruntime.Types()...)),
		add(mgr, owners, of[*extensionsv1alpha1.Extension](
			extension.New().With(map[string]contract.ExtensionActuator{
				oidcservice.Type:   oidcservice.New(),
				registrycache.Type: &registrycache.Actuator{Image: cfg.Image, Client: c, Reader: reader, Machines: cfg.Machines},
			}), extensionTypes()...)),
	)
	if err != nil {
		return fmt.Errorf("add provider local: %w", err)
	}
	return nil
}

// addNetworkHealth checks networks where there is something to look at.
func addNetworkHealth(mgr manager.Manager, cfg Config) error {
	if cfg.ShootConfig == nil {
		return nil
	}
	health := &network.Health{Reader: mgr.GetAPIReader(), Manifest: cfg.Network, ShootConfig: cfg.ShootConfig}
	return healthcheck.Add(mgr, health.Options(Name))
}

func addVolumes(mgr manager.Manager, dir string) error {
	if dir == "" {
		return nil
	}
	return volume.AddToManager(mgr, volume.Config{Dir: dir})
}

func addWebhook(mgr manager.Manager, cfg Config) error {
	return providerwebhook.Add(mgr, providerwebhook.Options{
		Provider: Name, Type: api.Type, Mutators: webhook.Mutators(cfg.Machines, mgr.GetAPIReader()), Service: cfg.Webhook.Service, Listen: cfg.Webhook.Listen,
	})
}

// addShootWebhooks keeps the webhooks for objects in the seed's shoots, and the component that serves them.
func addShootWebhooks(mgr manager.Manager, owners reconcile.Ownership, cfg Config) error {
	err := providershootwebhook.Add(mgr, providershootwebhook.Options[*extensionsv1alpha1.ControlPlane]{
		Webhooks: shootwebhook.Webhooks(cfg.Machines), Types: []string{api.Type}, Ownership: owners,
	})
	if err != nil || cfg.Image == "" {
		return err
	}
	return mgr.Add(&shootwebhook.Deployer{Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Image: cfg.Image, Machines: cfg.Machines, Pods: cfg.Pods})
}

func add[T reconcile.Object[E], E any](mgr manager.Manager, owners reconcile.Ownership, options reconcile.Options[T]) error {
	options.Ownership = owners
	return reconcile.Add(mgr, options)
}

// of makes the options of one kind; the types default to local.
func of[T extensionsv1alpha1.Object](actuator contract.Actuator[T], types ...string) reconcile.Options[T] {
	if len(types) == 0 {
		types = []string{api.Type}
	}
	return reconcile.Options[T]{
		Provider: Name,
		Types:    types,
		Classes: []extensionsv1alpha1.ExtensionClass{
			extensionsv1alpha1.ExtensionClassShoot, extensionsv1alpha1.ExtensionClassSeed, extensionsv1alpha1.ExtensionClassGarden,
		},
		Actuator: actuator,
	}
}
