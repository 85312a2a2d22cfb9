package appliance

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/kubeapi"
	"github.com/gardener-up/gardener-up/embedded/kubecontroller"
	"github.com/gardener-up/gardener-up/embedded/kubescheduler"
)

// Titles of the lines that a user sees while the landscape starts.
const (
	titleEtcd        = "etcd"
	titleGarden      = "garden API"
	titleGardenerAPI = "Gardener API"
	titleRuntime     = "runtime cluster"
	titleNode        = "node"
	titleControllers = "controllers"
)

// parts lists everything that runs, top to bottom in the order of dependency; it stops in reverse.
func (a *appliance) parts(ctx context.Context) ([]component.Part, error) {
	zone, err := dns.OpenZone(a.Paths.Zone())
	if err != nil {
		return nil, err
	}
	a.seeds, a.further = newSeeds(a, zone), newOwnSeeds(a)
	var parts []component.Part
	parts = append(parts, a.storage()...)
	parts = append(parts, a.gardenServers(zone)...)
	seed, err := a.runtimeCluster(ctx, zone)
	if err != nil {
		return nil, err
	}
	servers, err := seed.parts()
	if err != nil {
		return nil, err
	}
	parts = append(parts, servers...)
	parts = append(parts, a.controllers(seed)...)
	return append(parts, component.Part{Component: a.renewal(), Restart: true}), nil
}

// hostIn finds the front door of a shoot: those of exposure classes have addresses of their own.
func hostIn(zone *dns.Zone) func(name string) string {
	return func(name string) string {
		if addresses := zone.Get(name, "A"); len(addresses) > 0 {
			return addresses[0]
		}
		return ""
	}
}

func (a *appliance) storage() []component.Part {
	return []component.Part{ // need nothing
		{Title: titleEtcd, StopTimeout: 30 * time.Second, Component: etcd.New(a.etcd("etcd-main"))},
		{Title: titleEtcd, StopTimeout: 30 * time.Second, Component: etcd.New(a.etcd("etcd-events"))},
	}
}

// etcd is reached through a Unix socket, which spares both sides the encryption, or, where the state directory is too
// deep for one, through TLS on loopback.
func (a *appliance) etcd(name string) etcd.Config {
	c := etcd.Config{
		Name: name, DataDir: a.Paths.Etcd(name), ClientPort: int(a.ports[name]),
		CAFile: a.bundle.Etcd.CA, CertFile: a.bundle.Etcd.Server.Cert, KeyFile: a.bundle.Etcd.Server.Key, Log: a.Log.WithName(name),
	}
	if len(a.Paths.EtcdSocket("etcd-events")) <= etcd.MaxSocketPath { // all members or none: API servers know one kind of access
		c.Socket = a.Paths.EtcdSocket(name)
	}
	return c
}

// etcdClient is how API servers reach the members.
type etcdClient struct{ main, events, ca, cert, key string }

func (a *appliance) etcdClient() etcdClient {
	members := [2]etcd.Config{a.etcd("etcd-main"), a.etcd("etcd-events")}
	c := etcdClient{main: members[0].SocketEndpoint(), events: members[1].SocketEndpoint()}
	if members[0].Socket == "" {
		c.ca, c.cert, c.key = a.bundle.Etcd.CA, a.bundle.Etcd.Client.Cert, a.bundle.Etcd.Client.Key
	}
	return c
}

func (a *appliance) gardenServers(zone *dns.Zone) []component.Part {
	garden := a.gardenAs("appliance", a.bundle.Garden.Appliance).Config()
	gardener := a.gardenerAPI(garden, zone)
	return []component.Part{
		{Title: titleGarden, Component: kubeapi.New(kubeapi.Config{ // stores in etcd; waits for it itself
			Name: "garden-apiserver", Args: a.gardenFlags().WithoutNodes().Args(), Client: garden, Log: a.Log,
			Aggregated: &kubeapi.Aggregated{Namespace: gardenapi.Namespace, Service: gardenapi.ServiceName, Handler: gardener.Handler},
		})},
		{Title: titleGardenerAPI, Component: gardener}, // stores in etcd, asks the garden's API server
		{After: []string{"garden-apiserver", "gardener-apiserver"}, Title: titleGardenerAPI, Component: a.registration(garden)},
		{After: []string{"gardener-api"}, Component: kubecontroller.New(kubecontroller.Config{ // collects and counts Gardener's kinds, too
			Name: "garden-controllers", Client: garden, Controllers: kubecontroller.GardenControllers(),
			SigningCert: a.bundle.Garden.ClientCA, SigningKey: a.bundle.Garden.ClientCAKey, RootCA: a.bundle.Garden.CA, Log: a.Log,
		})},
	}
}

func (a *appliance) gardenerAPI(garden *rest.Config, zone *dns.Zone) *gardenapi.Server {
	store, settings := a.etcdClient(), a.Config.Garden.GardenerAPIServer
	return gardenapi.New(a.limitRequests(gardenapi.Config{
		Port: int(a.ports["gardener-apiserver"]), CertFile: a.bundle.GardenerAPI.Cert, KeyFile: a.bundle.GardenerAPI.Key,
		EtcdServers: []string{store.main}, EtcdCAFile: store.ca, EtcdCertFile: store.cert, EtcdKeyFile: store.key,
		EncryptionConfigFile: a.bundle.GardenEncryption, StorageMediaType: runtime.ContentTypeProtobuf, // read much faster than JSON
		Garden: garden, ClientCAFile: a.bundle.Garden.ClientCA,
		EnableAdmissionPlugins: settings.Admission.EnablePlugins, DisableAdmissionPlugins: settings.Admission.DisablePlugins,
		AdmissionConfigFile: settings.Admission.ConfigFile, FeatureGates: settings.FeatureGates,
		WorkloadIdentity: gardenapi.WorkloadIdentity{
			KeyFile: a.bundle.WorkloadIdentityKey, Issuer: a.tokenIssuer(),
		},
		RequestHeader:   gardenapi.RequestHeader{CAFile: a.bundle.Garden.FrontProxyCA, AllowedNames: []string{"system:kube-aggregator"}},
		ClusterIdentity: a.identity.ID, FrontDoorAddress: frontDoorAddress(a.Config, a.ports["front-door"]), FrontDoorHost: hostIn(zone), Log: a.Log.WithName("gardener-apiserver"),
	}))
}

func (a *appliance) seedServers() []component.Part {
	seed := a.seedAs("appliance", a.bundle.Seed.Appliance).Config()
	as := func(user pki.Pair) *rest.Config { return a.seedAs("seed", user).Config() }
	return []component.Part{
		{Title: titleRuntime, Component: kubeapi.New(kubeapi.Config{ // stores in etcd; waits for it itself
			Name: "seed-apiserver", Args: a.seedFlags().Args(), Client: seed, Log: a.Log,
		})},
		{After: []string{"seed-apiserver"}, Title: titleRuntime, Component: kubecontroller.New(kubecontroller.Config{
			Name: "seed-controllers", Client: seed, Controllers: kubecontroller.SeedControllers(),
			SigningCert: a.bundle.Seed.ClientCA, SigningKey: a.bundle.Seed.ClientCAKey, RootCA: a.bundle.Seed.CA,
			ServiceAccountKey: a.bundle.Seed.ServiceAccountKey, Log: a.Log,
		})},
		{After: []string{"seed-apiserver"}, Title: titleRuntime, Component: kubescheduler.New(kubescheduler.Config{
			Name: "seed-scheduler", Client: as(a.bundle.Seed.Scheduler), Log: a.Log,
		})},
	}
}

// gardenFlags are those of a cluster without nodes.
func (a *appliance) gardenFlags() kubeapi.Flags {
	f := a.commonFlags("garden-apiserver", "/registry-garden", a.bundle.Garden)
	f.ServiceAccountIssuer = "https://" + a.gardenHost()
	f.EncryptionConfig = a.bundle.GardenEncryption
	f.ServiceCIDR = "100.64.0.0/16" // no Service is ever reached by its address; the Gardener API's has a name
	f.EnableAdmission = []string{"ResourceQuota", "NamespaceLifecycle"}
	f.DisableAdmission = []string{"ServiceAccount"}
	f.APIAudiences = []string{"kubernetes", "gardener"}
	a.requestFlags(&f)
	return f
}

func (a *appliance) seedFlags() kubeapi.Flags {
	f := a.commonFlags("seed-apiserver", "/registry-seed", a.bundle.Seed)
	f.ServiceAccountIssuer = "https://kubernetes.default.svc"
	f.ServiceCIDR = a.Config.Seed.ServiceCIDR
	f.KubeletClientCert, f.KubeletClientKey = a.bundle.Seed.Kubelet.Cert, a.bundle.Seed.Kubelet.Key
	f.KubeletAddressTypes = []string{"InternalIP"}
	f.EnableAdmission = []string{"NodeRestriction"}
	return f
}

func (a *appliance) commonFlags(name, prefix string, c pki.Cluster) kubeapi.Flags {
	store := a.etcdClient()
	return kubeapi.Flags{
		BindAddress: "127.0.0.1", Port: int(a.ports[name]), AdvertiseAddress: "127.0.0.1",
		EtcdServers: []string{store.main}, EtcdEventsServers: []string{store.events}, EtcdPrefix: prefix,
		EtcdCA: store.ca, EtcdCert: store.cert, EtcdKey: store.key,
		ServingCert: c.Server.Cert, ServingKey: c.Server.Key, ClientCA: c.ClientCA,
		FrontProxyCA: c.FrontProxyCA, FrontProxyNames: []string{"system:kube-aggregator"},
		FrontProxyCert: c.Aggregator.Cert, FrontProxyKey: c.Aggregator.Key,
		ServiceAccountKeys: []string{c.ServiceAccountKey}, ServiceAccountSigningKey: c.ServiceAccountKey,
		NoFairness: true, EndpointReconciler: "none",
	}
}

// registration makes the Gardener API part of the garden.
func (a *appliance) registration(garden *rest.Config) component.Component {
	return component.NewStep("gardener-api", func(ctx context.Context) error {
		ca, err := os.ReadFile(a.bundle.Garden.CA)
		if err != nil {
			return fmt.Errorf("read CA of the Gardener API: %w", err)
		}
		return gardenapi.Register(ctx, garden, gardenapi.Registration{Host: "127.0.0.1", Port: int(a.ports["gardener-apiserver"]), CABundle: ca})
	}, func(ctx context.Context) error { return gardenapi.Available(ctx, garden) })
}
