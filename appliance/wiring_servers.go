package appliance

import (
	"context"
	"fmt"
	"os"
	"time"

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
func (a *appliance) parts() ([]component.Part, error) {
	zone, err := dns.OpenZone(a.Paths.Zone())
	if err != nil {
		return nil, err
	}
	var parts []component.Part
	parts = append(parts, a.storage()...)
	parts = append(parts, a.gardenServers()...)
	parts = append(parts, a.seedServers()...)
	network, err := a.network(zone)
	if err != nil {
		return nil, err
	}
	parts = append(parts, network...)
	parts = append(parts, a.controllers(zone)...)
	return append(parts, component.Part{Component: a.renewal(), Restart: true}), nil
}

func (a *appliance) storage() []component.Part {
	member := func(name string) component.Part {
		return component.Part{Title: titleEtcd, StopTimeout: 30 * time.Second, Component: etcd.New(etcd.Config{
			Name: name, DataDir: a.Paths.Etcd(name), ClientPort: int(a.ports[name]),
			CAFile: a.bundle.Etcd.CA, CertFile: a.bundle.Etcd.Server.Cert, KeyFile: a.bundle.Etcd.Server.Key, Log: a.Log.WithName(name),
		})}
	}
	return []component.Part{member("etcd-main"), member("etcd-events")} // need nothing
}

func (a *appliance) gardenServers() []component.Part {
	garden := a.gardenAs("appliance", a.bundle.Garden.Appliance).Config()
	return []component.Part{
		{Title: titleGarden, Component: kubeapi.New(kubeapi.Config{ // stores in etcd; waits for it itself
			Name: "garden-apiserver", Args: a.gardenFlags().Args(), Client: garden, Log: a.Log,
		})},
		{Title: titleGardenerAPI, Component: gardenapi.New(gardenapi.Config{ // stores in etcd, asks the garden's API server
			Port: int(a.ports["gardener-apiserver"]), CertFile: a.bundle.GardenerAPI.Cert, KeyFile: a.bundle.GardenerAPI.Key,
			EtcdServers: []string{a.ports.url("etcd-main")}, EtcdCAFile: a.bundle.Etcd.CA,
			EtcdCertFile: a.bundle.Etcd.Client.Cert, EtcdKeyFile: a.bundle.Etcd.Client.Key,
			Garden: garden, ClientCAFile: a.bundle.Garden.ClientCA,
			RequestHeader:   gardenapi.RequestHeader{CAFile: a.bundle.Garden.FrontProxyCA, AllowedNames: []string{"system:kube-aggregator"}},
			ClusterIdentity: a.identity.ID, FrontDoorAddress: frontDoorAddress(a.Config, a.ports["front-door"]), Log: a.Log.WithName("gardener-apiserver"),
		})},
		{After: []string{"garden-apiserver", "gardener-apiserver"}, Title: titleGardenerAPI, Component: a.registration(garden)},
		{After: []string{"garden-apiserver"}, Component: kubecontroller.New(kubecontroller.Config{
			Name: "garden-controllers", Client: garden, Controllers: kubecontroller.GardenControllers(),
			SigningCert: a.bundle.Garden.ClientCA, SigningKey: a.bundle.Garden.ClientCAKey, RootCA: a.bundle.Garden.CA, Log: a.Log,
		})},
	}
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
	f.ServiceCIDR = "100.64.0.0/16" // no Service is ever reached by its address; the Gardener API's has a name
	f.EnableAdmission = []string{"ResourceQuota", "NamespaceLifecycle"}
	f.DisableAdmission = []string{"ServiceAccount"}
	f.APIAudiences = []string{"kubernetes", "gardener"}
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
	return kubeapi.Flags{
		BindAddress: "127.0.0.1", Port: int(a.ports[name]), AdvertiseAddress: "127.0.0.1",
		EtcdServers: []string{a.ports.url("etcd-main")}, EtcdEventsServers: []string{a.ports.url("etcd-events")}, EtcdPrefix: prefix,
		EtcdCA: a.bundle.Etcd.CA, EtcdCert: a.bundle.Etcd.Client.Cert, EtcdKey: a.bundle.Etcd.Client.Key,
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
	})
}
