package servers

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/operators"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/kubeapi"
	"github.com/gardener-up/gardener-up/embedded/kubecontroller"
)

// GardenerAPI is the name of the part that is ready when the garden serves Gardener's kinds.
const GardenerAPI = "gardener-api"

// GardenControllers is the name of the part that runs the few Kubernetes controllers of the garden.
const GardenControllers = "garden-controllers"

const (
	titleGarden      = "garden API"
	titleGardenerAPI = "Gardener API"
)

// Garden is the virtual garden cluster: its etcd, and a kube-apiserver without nodes with the Gardener API in it.
func Garden(in GardenInputs) []component.Part {
	garden, store := in.GardenClient(), in.gardenStorage()
	in.Snapshots(store.snapshots)
	gardener := in.gardenerAPI(garden, store)
	return []component.Part{
		store.part(),
		{Title: titleGarden, Health: in.Admission.URL + "/healthz", Component: in.Admission.component()}, // holds what the API server asks until the controllers run
		{Title: titleGarden, Uses: []string{EtcdGarden}, Component: kubeapi.New(kubeapi.Config{ // stores in etcd; waits for it itself
			Name: GardenAPIServer, Args: in.gardenFlags(store).WithoutNodes().Args(), Client: garden, Log: in.Log,
			Full: store.etcd.Full, Disk: in.Storage.Disk.Low, Operators: operators.Group,
			MaxRequestsPerUser: int(*in.Settings.Requests.MaxInFlightPerUser), MaxWatchesPerUser: int(*in.Settings.Requests.MaxWatchesPerUser),
			TokenKeys:  in.TokenKeys,
			Aggregated: &kubeapi.Aggregated{Namespace: gardenapi.Namespace, Service: gardenapi.ServiceName, Handler: gardener.Handler},
		})},
		operators.Part("garden-administrators", GardenAPIServer, titleGarden, garden),
		{Title: titleGardenerAPI, Uses: []string{EtcdGarden, GardenAPIServer}, Component: gardener}, // stores in etcd, asks the garden's API server
		{After: []string{GardenAPIServer, GardenerAPIServer}, Title: titleGardenerAPI, Component: in.registration(garden)},
		{After: []string{GardenerAPI}, Component: kubecontroller.New(kubecontroller.Config{ // collects and counts Gardener's kinds, too
			Name: GardenControllers, Client: garden, Controllers: kubecontroller.GardenControllers(),
			SigningCert: in.PKI.Garden.ClientIssuer, SigningKey: in.PKI.Garden.ClientIssuerKey, RootCA: in.PKI.Garden.CA, Log: in.Log,
			Args: []string{"--cluster-signing-duration=" + in.Settings.CertificateSigningDuration.Duration.String()},
		})},
	}
}

func (in GardenInputs) gardenerAPI(garden *rest.Config, store storage) *gardenapi.Server {
	settings := in.Settings.GardenerAPIServer
	return gardenapi.New(in.limitRequests(gardenapi.Config{
		Last: true, // its kube-apiserver stops next
		Port: int(in.Ports[GardenerAPIServer]), CertFile: in.PKI.GardenerAPI.Cert, KeyFile: in.PKI.GardenerAPI.Key,
		EtcdServers: []string{store.endpoint}, EtcdCAFile: store.ca, EtcdCertFile: store.cert, EtcdKeyFile: store.key,
		Full: store.etcd.Full, Disk: in.Storage.Disk.Low, Operators: operators.Group,
		EncryptionConfigFile: in.PKI.GardenEncryption, StorageMediaType: runtime.ContentTypeProtobuf, // read much faster than JSON
		Garden: garden, ClientCAFile: in.PKI.Garden.ClientCA,
		EnableAdmissionPlugins: settings.Admission.EnablePlugins, DisableAdmissionPlugins: settings.Admission.DisablePlugins,
		AdmissionConfigFile: settings.Admission.ConfigFile, FeatureGates: settings.FeatureGates,
		WorkloadIdentity: gardenapi.WorkloadIdentity{KeyFile: in.PKI.WorkloadIdentityKey, Issuer: in.tokenIssuer()},
		RequestHeader:    gardenapi.RequestHeader{CAFile: in.PKI.Garden.FrontProxyCA, AllowedNames: []string{"system:kube-aggregator"}},
		ReservedDomains:  []string{in.Door.Domain},
		ClusterIdentity:  in.ClusterID, FrontDoorAddress: in.Door.Address(), FrontDoorHost: hostIn(in.Zone), Log: in.Log.WithName(GardenerAPIServer),
	}))
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

// registration makes the Gardener API part of the garden.
func (in GardenInputs) registration(garden *rest.Config) component.Component {
	return component.NewStep(GardenerAPI, func(ctx context.Context) error { return in.RegisterGardenerAPI(ctx, garden) }, func(ctx context.Context) error { return gardenapi.Available(ctx, garden) })
}

// RegisterGardenerAPI writes how the garden's API server finds the Gardener API, and which authorities it trusts there.
func (a Access) RegisterGardenerAPI(ctx context.Context, garden *rest.Config) error {
	ca, err := os.ReadFile(a.PKI.Garden.CA)
	if err != nil {
		return fmt.Errorf("read CA of the Gardener API: %w", err)
	}
	return gardenapi.Register(ctx, garden, gardenapi.Registration{Host: "127.0.0.1", Port: int(a.Ports[GardenerAPIServer]), CABundle: ca})
}
