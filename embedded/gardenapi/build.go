package gardenapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/core/shoot"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/registry/security/workloadidentity"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/scheme"
	"github.com/gardener-up/gardener-up/embedded/internal/handover"
	"github.com/gardener-up/gardener-up/embedded/internal/keyreload"
	"github.com/gardener-up/gardener-up/embedded/internal/sharedetcd"
	"github.com/gardener-up/gardener-up/embedded/internal/storagelimit"
)

// watchGracePeriod is the time that watches get to end when the server stops.
const watchGracePeriod = 2 * time.Second

// resync is long, because the informers only serve lookups and nothing acts on their events.
const resync = 10 * time.Hour

// build assembles one server. Its port is open, but nothing answers yet. The handler serves requests that another server
// of this process hands over.
func build(c Config) (_ *genericapiserver.GenericAPIServer, passed http.Handler, err error) {
	restConfig, err := c.garden()
	if err != nil {
		return nil, nil, err
	}
	garden, err := kubernetes.NewForConfig(restConfig)
	if err != nil {
		return nil, nil, fmt.Errorf("client of the garden: %w", err)
	}
	dynamicGarden, err := dynamic.NewForConfig(restConfig)
	if err != nil {
		return nil, nil, fmt.Errorf("dynamic client of the garden: %w", err)
	}
	types := scheme.New()
	config := genericapiserver.NewConfig(types.Codecs)
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.FeatureGate = utilfeature.DefaultFeatureGate
	config.EnableProfiling = false
	config.ShutdownWatchTerminationGracePeriod = watchGracePeriod // without it, stopping waits for watches to time out
	addOpenAPI(config)

	if err := serve(config, c); err != nil { // first, so that a port in use is told before anything is waited for
		return nil, nil, fmt.Errorf("listen: %w", err)
	}
	defer func() {
		if err != nil {
			config.SecureServing.Listener.Close()
		}
	}()
	if err := authenticate(config, c, garden); err != nil {
		return nil, nil, fmt.Errorf("authentication: %w", err)
	}
	tokens, discovery, err := tokens(c.WorkloadIdentity)
	if err != nil {
		return nil, nil, fmt.Errorf("tokens of WorkloadIdentities: %w", err)
	}
	if err := authorize(config, garden, slices.Collect(maps.Keys(discovery))); err != nil {
		return nil, nil, fmt.Errorf("authorization: %w", err)
	}
	if err := audit(config, c); err != nil {
		return nil, nil, fmt.Errorf("audit: %w", err)
	}
	if err := store(config, c, types); err != nil {
		return nil, nil, fmt.Errorf("storage: %w", err)
	}
	informers := informers.NewSharedInformerFactory(garden, resync)
	limits := limit(config, c, informers, garden)
	objects := registry.NewObjects()
	chain := admission.Config{
		Enable: c.EnableAdmissionPlugins, Disable: c.DisableAdmissionPlugins, File: c.AdmissionConfigFile, ReservedDomains: c.ReservedDomains,
		Objects: objects, Garden: garden, DynamicGarden: dynamicGarden, Informers: informers,
	}
	if err := chain.ApplyTo(config); err != nil {
		return nil, nil, fmt.Errorf("admission: %w", err)
	}
	low, stop, err := c.diskOfEtcd()
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			stop()
		}
	}()
	config.AdmissionControl = storagelimit.Guard(config.AdmissionControl, storagelimit.Limit{Full: c.Full, Disk: c.Disk, Etcds: low, Operators: c.Operators})
	config.BuildHandlerChainFunc = func(api http.Handler, c *genericapiserver.Config) http.Handler {
		passed = handover.Receiver(c, api)
		return genericapiserver.DefaultBuildHandlerChain(limits.Filter(api), c)
	}
	server, err := config.Complete(informers).New("gardener-apiserver", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, nil, err
	}
	server.RegisterDestroyFunc(objects.Stop)
	server.RegisterDestroyFunc(stop)
	for path, handler := range discovery {
		server.Handler.NonGoRestfulMux.Handle(path, handler)
	}
	server.Handler.FullHandlerChain = onlyDiscovery(c.WorkloadIdentity.host(), discovery, server.Handler.FullHandlerChain)
	groups, err := registry.Groups(registry.Config{
		Scheme: types, Options: config.RESTOptionsGetter, Objects: objects,
		Shoot: shoot.Rules{
			RotationInterval: c.CredentialsRotationInterval, NoAuthorityRotation: !c.feature(ShootCARotation) || !c.feature(carotation),
		},
		BastionTTL: c.BastionTTL,
		Tokens:     tokens,
		Kubeconfigs: shoot.Kubeconfigs{
			Enabled: c.feature(AdminKubeconfigRequest), Garden: garden, FrontDoor: shoot.FrontDoor{Address: c.FrontDoorAddress, Host: c.FrontDoorHost},
			AdminMaxExpiration: c.AdminKubeconfigMaxExpiration, ViewerMaxExpiration: c.ViewerKubeconfigMaxExpiration,
		},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("storage in etcd at %s: %w", strings.Join(c.EtcdServers, ", "), err)
	}
	if err := server.InstallAPIGroups(groups...); err != nil { // in one call, which builds the models of all groups once
		return nil, nil, fmt.Errorf("install API groups: %w", err)
	}
	serveOpenAPI(config, server, c.Log)
	if err := keepIdentity(server, c, garden); err != nil {
		return nil, nil, err
	}
	return server, passed, nil
}

// tokens returns the settings for issuing tokens and the public documents of the issuer by path.
func tokens(c WorkloadIdentity) (tokens workloadidentity.Tokens, discovery map[string]http.Handler, err error) {
	tokens = workloadidentity.Tokens{MinExpiration: c.MinExpiration, MaxExpiration: c.MaxExpiration}
	if c.KeyFile == "" {
		return tokens, nil, nil
	}
	if tokens.Signer, err = workloadidentity.NewSigner(c.Issuer, c.KeyFile); err != nil {
		return tokens, nil, err
	}
	discovery, err = tokens.Signer.Discovery()
	return tokens, discovery, err
}

// store configures etcd and the encoding of stored objects.
func store(config *genericapiserver.Config, c Config, types *scheme.Types) error {
	codec, err := types.Storage(c.StorageMediaType)
	if err != nil {
		return err
	}
	backend := storagebackend.NewDefaultConfig(c.EtcdPrefix, codec)
	backend.EncodeVersioner = scheme.StorageVersions()
	backend.Transport.ServerList = slices.Clone(c.EtcdServers)
	backend.Transport.TrustedCAFile, backend.Transport.CertFile, backend.Transport.KeyFile = c.EtcdCAFile, c.EtcdCertFile, c.EtcdKeyFile
	backend.StorageObjectCountTracker = config.StorageObjectCountTracker
	sharedetcd.Enable()
	etcd := options.NewEtcdOptions(backend)
	etcd.StorageConfig.CountMetricPollPeriod = 0 // nobody reads it; every kind would be counted each minute
	etcd.EncryptionProviderConfigFilepath = c.EncryptionConfigFile
	etcd.EncryptionProviderConfigAutomaticReload = c.EncryptionConfigFile != ""
	keyreload.Enable()
	etcd.WatchCacheSizes = c.WatchCacheSizes
	return etcd.ApplyTo(config)
}
