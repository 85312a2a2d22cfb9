// Package gardenlet composes the controllers that act for one seed: its registration, its lease, its bootstrap, its
// backups, its extensions, and its shoots. Each duty has its own package; this package gives them their clients.
package gardenlet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/backupbucket"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/backupentry"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/bastion"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap/again"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/extensionmirror"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/lease"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/managedseed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/networkpolicy"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/networkpolicy/probe"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/registration"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	shootetcd "github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/controllers/internal/effect"
	"github.com/gardener-up/gardener-up/controllers/internal/healthz"
	servicepolicy "github.com/gardener-up/gardener-up/controllers/resourcemanager/networkpolicy"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/providers/ownership"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Name is the name of the component and its user agent.
const Name = "gardenlet"

// Config of a gardenlet. All fields are required unless said otherwise.
type Config struct {
	// Seed is the manager of the seed. It provides clients and caches. Before it starts, the seed must have the kinds of
	// seed.InstallCRDs.
	Seed manager.Manager
	// Configuration is what an operator configures; see config.Load and config.SetDefaults.
	Configuration *config.GardenletConfiguration
	// Identity of this gardenlet, as it appears in the status of Seeds and Shoots.
	Identity gardencorev1beta1.Gardener
	// Access says how shoots are reached. Its labels, gateways and gates are set from the configuration.
	exposure.Access
	// Handlers means that each of the exposureClassHandlers of the configuration has a front door, at the configured
	// address.
	Handlers bool
	// HandlerPorts are the ports of the front doors of handlers on the nodes of the seed, by handler, if
	// FrontDoorInSeed is set.
	HandlerPorts map[string]frontdoor.Ports
	// Image is the appliance image. Pods of control planes and of the seed's components use it.
	Image string
	// Pods signs the pods of control planes and of the seed's components; nil signs none.
	Pods *podsignature.Signer
	// Images of system components of shoots; empty fields mean the public images.
	Images shoot.Images
	// FrontDoorInSeed makes the gardenlet run the front doors as pods of the seed. Without it another component routes
	// according to the VirtualServices of the seed.
	FrontDoorInSeed bool
	// Credentials are the credentials with which the manager of the garden reaches the garden. They renew themselves as long as that
	// manager runs. Nil means that the gardenlet does not renew them.
	Credentials Credentials
	// Garden is where gardenlets in shoots, those of ManagedSeeds, find the garden. Without it they get no access.
	Garden *bootstrap.Garden
	// GardenInSeed is where pods of the seed find the garden, if a Service of the seed leads there.
	GardenInSeed *bootstrap.GardenService
	// Leave removes what this process keeps in the seed beside the gardenlet, when the Seed goes; nil if there is nothing.
	Leave func(ctx context.Context, seed client.Client) error
	// Callback deploys the component by which pods and the API server of the seed reach this process, which has to connect to it. GardenInSeed
	// has to be set, and the component makes its Service.
	Callback bool
	// OwnProcess means that the process runs nothing but the gardenlet, and logs as the configuration says.
	OwnProcess bool
	// BackupAccess is the way to backups of shoots that move here, in buckets of other seeds that are directories; nil if the nodes of the seed
	// have no such directories.
	BackupAccess shootetcd.Access
	// Resolver asks for the owners of shoots, for a seed that checks owners; nil if operations of the gardenlet do not depend on them.
	Resolver ownership.Resolver
	// ResourceManager deploys the resource manager into the seed, which is for seeds whose API server cannot call this
	// process. Without it the caller must run the resource manager.
	ResourceManager bool
	// RuntimeCluster means that the seed contains the Garden of this process. Its operator leaves network policies to the gardenlet.
	RuntimeCluster bool
}

// Credentials are a client certificate that renews itself while it runs.
type Credentials interface {
	seed.Credentials
	again.Access
	manager.Runnable
}

// AddToManager adds the controllers to the manager of the garden. Controllers of objects in the seed are added to the manager of the
// seed. The health check "gardenlet-lease" of the garden's manager fails when the lease is not renewed. The health endpoints of the
// configuration's server then fail, too.
func AddToManager(garden manager.Manager, cfg Config) error {
	if err := config.Validate(cfg.Configuration); err != nil {
		return fmt.Errorf("configuration of the gardenlet: %w", err)
	}
	seedClient, err := uncachedClient(cfg.Seed)
	if err != nil {
		return err
	}
	keys := cfg.Configuration.WithoutEffect()
	if !cfg.OwnProcess {
		keys = append(keys, cfg.Configuration.OfProcess()...)
	}
	effect.Log(garden.GetLogger(), keys)
	p := parts{garden: garden, seed: cfg.Seed, seedClient: seedClient, cfg: cfg, name: cfg.Configuration.SeedConfig.Name, clock: clock.RealClock{}}
	for _, add := range []func() error{p.registration, p.lease, p.seedController, p.backups, p.bastions, p.installations, p.shoots, p.networkPolicies, p.gardenTokens, p.managedSeeds} {
		if err := add(); err != nil {
			return err
		}
	}
	return nil
}

type parts struct {
	garden, seed manager.Manager
	seedClient   client.Client
	cfg          Config
	name         string // UID of the Seed
	clock        clock.Clock
}

func (p parts) registration() error {
	return p.cfg.registration(p.garden.GetClient(), p.garden.GetAPIReader()).AddToManager(p.garden, workers.Options{})
}

func (c Config) registration(garden client.Client, reader client.Reader) *registration.Registration {
	return &registration.Registration{
		Client: garden, Reader: reader, Seed: c.Configuration.SeedConfig.SeedTemplate, NoOwnerChecks: !c.Configuration.Gate(config.GateDNSRecords),
		SharesBackups: c.BackupAccess != nil,
	}
}

func (p parts) lease() error {
	healthy, err := lease.SeedHealth(p.seed.GetConfig(), p.seed.GetHTTPClient())
	if err != nil {
		return err
	}
	// The heartbeat reads the Seed before a controller watches it.
	if _, err := p.garden.GetCache().GetInformer(context.Background(), &gardencorev1beta1.Seed{}, cache.BlockUntilSynced(false)); err != nil {
		return fmt.Errorf("watch seed: %w", err)
	}
	settings := p.cfg.Configuration.Controllers.Seed
	heartbeat := &lease.Heartbeat{
		Garden: p.garden.GetClient(), Reader: p.garden.GetAPIReader(), SeedHealthy: healthy, Clock: p.clock, SeedName: p.name,
		Period: time.Duration(*settings.LeaseResyncSeconds) * time.Second, MissThreshold: int(*settings.LeaseResyncMissThreshold),
	}
	err = errors.Join(p.garden.Add(heartbeat), p.garden.AddHealthzCheck("gardenlet-lease", heartbeat.Healthy))
	server := p.cfg.Configuration.Server
	if err != nil || server.HealthProbes == nil && server.HTTPS == nil {
		return err
	}
	return p.garden.Add(&healthz.Server{Name: "gardenlet", Plain: server.HealthProbes, Secure: server.HTTPS, Healthy: heartbeat.Healthy, Ready: p.synced})
}

// synced returns nil as soon as the controllers can work.
func (p parts) synced(request *http.Request) error {
	ctx, cancel := context.WithTimeout(request.Context(), time.Second)
	defer cancel()
	if !p.garden.GetCache().WaitForCacheSync(ctx) || !p.seed.GetCache().WaitForCacheSync(ctx) {
		return errors.New("caches are not filled yet")
	}
	return nil
}

func (p parts) seedController() error {
	versions, err := discovery.NewDiscoveryClientForConfigAndClient(p.seed.GetConfig(), p.seed.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("make discovery client of the seed: %w", err)
	}
	var resources seed.Resources
	if configured := p.cfg.Configuration.Resources; configured != nil {
		resources = seed.Resources{Capacity: configured.Capacity, Reserved: configured.Reserved}
	}
	care := p.cfg.Configuration.Controllers.SeedCare
	reconciler := &seed.Reconciler{
		Garden: p.garden.GetClient(), SeedClient: p.seedClient, Discovery: versions,
		Recorder: p.garden.GetEventRecorder("gardenlet"), Clock: p.clock, SeedName: p.name,
		Identity: p.cfg.Identity, Resources: resources, ResourceManager: p.cfg.ResourceManager, RuntimeCluster: p.cfg.RuntimeCluster, SyncPeriod: p.cfg.Configuration.Controllers.Seed.SyncPeriod.Duration,
		Image: p.cfg.Image, Pods: p.cfg.Pods, Leave: p.cfg.Leave, Care: seed.Care{Period: care.SyncPeriod.Duration},
		ScaleEtcds: p.cfg.Configuration.Gate(config.GateHVPA), Monitoring: p.cfg.Configuration.Monitors(),
	}
	if p.cfg.FrontDoorInSeed {
		reconciler.FrontDoors = frontdoor.Gateways(p.cfg.Configuration, p.cfg.Image, p.cfg.HandlerPorts)
	}
	if p.cfg.Callback {
		reconciler.Callback = &p.cfg.GardenInSeed.Service
	}
	for _, threshold := range care.ConditionThresholds {
		if gardencorev1beta1.ConditionType(threshold.Type) == gardencorev1beta1.SeedSystemComponentsHealthy {
			reconciler.Care.Threshold = threshold.Duration.Duration
		}
	}
	if credentials := p.cfg.Credentials; credentials != nil {
		reconciler.Credentials = credentials
		follower := &again.Reconciler{Access: credentials, SeedName: p.name}
		if err := errors.Join(p.garden.Add(credentials), follower.AddToManager(p.seed, workers.Insistent(1))); err != nil {
			return err
		}
	}
	return reconciler.AddToManager(p.garden, workers.Insistent(0))
}

func (p parts) backups() error {
	mirror := extensionmirror.Mirror{Seed: p.seedClient, Clock: p.clock}
	buckets := &backupbucket.Reconciler{
		Garden: p.garden.GetClient(), Reader: p.garden.GetAPIReader(), Mirror: mirror, SeedCache: p.seed.GetCache(), SeedName: p.name,
	}
	if err := buckets.AddToManager(p.garden, workers.Insistent(*p.cfg.Configuration.Controllers.BackupBucket.ConcurrentSyncs)); err != nil {
		return err
	}
	settings := p.cfg.Configuration.Controllers.BackupEntry
	entries := &backupentry.Reconciler{
		Garden: p.garden.GetClient(), Reader: p.garden.GetAPIReader(), Mirror: mirror, SeedCache: p.seed.GetCache(), Clock: p.clock, SeedName: p.name,
		Grace: backupentry.Grace{
			Period: time.Duration(*settings.DeletionGracePeriodHours) * time.Hour, Purposes: settings.DeletionGracePeriodShootPurposes,
		},
	}
	return entries.AddToManager(p.garden, workers.Insistent(*settings.ConcurrentSyncs))
}

func (p parts) bastions() error {
	reconciler := &bastion.Reconciler{
		Garden: p.garden.GetClient(), Mirror: extensionmirror.Mirror{Seed: p.seedClient, Clock: p.clock}, SeedCache: p.seed.GetCache(),
		Clock: p.clock, SeedName: p.name,
	}
	return reconciler.AddToManager(p.garden, workers.Insistent(*p.cfg.Configuration.Controllers.Bastion.ConcurrentSyncs))
}

func (p parts) installations() error {
	served, err := discovery.NewDiscoveryClientForConfigAndClient(p.seed.GetConfig(), p.seed.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("make discovery client of the seed: %w", err)
	}
	reconciler := &controllerinstallation.Reconciler{
		Garden: p.garden.GetClient(), Reader: p.garden.GetAPIReader(), Seed: p.seedClient, SeedCache: p.seed.GetCache(), Discovery: served,
		Clock: p.clock, SeedName: p.name, Version: p.cfg.Identity.Version, Gates: p.cfg.Configuration.FeatureGates, Address: p.cfg.gardenForPods(),
	}
	return reconciler.AddToManager(p.garden, workers.Insistent(*p.cfg.Configuration.Controllers.ControllerInstallation.ConcurrentSyncs))
}

func (p parts) managedSeeds() error {
	if p.cfg.Garden == nil {
		return nil
	}
	address, settings := *p.cfg.Garden, p.cfg.Configuration.Controllers.ManagedSeed
	if other := p.cfg.Configuration.GardenClientConnection.GardenClusterAddress; ptr.Deref(other, "") != "" {
		address.Server, address.ServerName = *other, ""
	}
	reconciler := &managedseed.Reconciler{
		Garden: p.garden.GetClient(), Reader: p.garden.GetAPIReader(), Connect: managedseed.Connect(p.seedClient, p.access().Config),
		Address: address, Recorder: p.garden.GetEventRecorder("gardenlet"), Clock: p.clock, SeedName: p.name, SyncPeriod: settings.SyncPeriod.Duration, WaitPeriod: settings.WaitSyncPeriod.Duration,
	}
	return reconciler.AddToManager(p.garden, workers.Insistent(*settings.ConcurrentSyncs))
}

// networkPolicies adds the controllers that deny traffic in namespaces and allow what labels and Services ask for,
// unless the operator of a Garden in the seed does that. It also adds the probe whether the network of the seed enforces network
// policies.
func (p parts) networkPolicies() error {
	settings := p.cfg.Configuration.Controllers.NetworkPolicy
	general := &networkpolicy.Reconciler{
		Garden: p.garden.GetClient(), GardenCache: p.garden.GetCache(), SeedReader: p.seed.GetCache(), SeedClient: p.seedClient,
		SeedName: p.name, Additional: settings.AdditionalNamespaceSelectors,
	}
	switch {
	case p.cfg.GardenInSeed != nil:
		general.GardenService = p.cfg.GardenInSeed.Service
	case p.cfg.OwnProcess: // a garden on the same cluster; elsewhere there is no such Service
		general.GardenService = client.ObjectKey{Namespace: constants.GardenNamespace, Name: "virtual-garden-kube-apiserver"}
	}
	services := &servicepolicy.Reconciler{
		Name: "gardenlet-" + p.name + "-service-networkpolicy", Target: p.seedClient, Selectors: networkpolicy.Selectors(settings.AdditionalNamespaceSelectors),
		Cache: p.seed.GetCache(),
	}
	if !p.cfg.RuntimeCluster {
		operator := networkpolicy.OperatorOf(p.seedClient, p.clock)
		general.Operated, general.Theirs = operator.Writes, operator.Theirs
		services.Operated, services.Theirs, services.LookAgain = operator.Writes, operator.Theirs, networkpolicy.LookAgain
	}
	var probing error
	if p.cfg.FrontDoorInSeed { // pods of embedded nodes share the network of the machine: there is nothing to probe
		enforced := &probe.Reconciler{Garden: p.garden.GetClient(), SeedClient: p.seedClient, SeedName: p.name, Image: p.cfg.Image, Clock: p.clock}
		probing = enforced.AddToManager(p.garden, workers.Options{Count: 1})
	}
	options := workers.Options{Count: *settings.ConcurrentSyncs}
	return errors.Join(
		probing,
		general.AddToManager(p.seed, options),
		services.AddToManager(p.seed, options))
}

// uncachedClient reads objects of the seed that these controllers need only occasionally. It has its own scheme, so
// that the manager of the seed need not know all these kinds.
func uncachedClient(seedMgr manager.Manager) (client.Client, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(
		clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme),
		extensionsv1alpha1.AddToScheme(scheme), resourcesv1alpha1.AddToScheme(scheme))
	if err != nil {
		return nil, fmt.Errorf("build scheme: %w", err)
	}
	uncached, err := client.New(seedMgr.GetConfig(), client.Options{
		HTTPClient: seedMgr.GetHTTPClient(), Scheme: scheme, Mapper: seedMgr.GetRESTMapper(),
	})
	if err != nil {
		return nil, fmt.Errorf("make client of the seed: %w", err)
	}
	return uncached, nil
}
