package servers

import (
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/flags"
)

// GardenServices is the range of Services of the garden. No Service is ever reached by its address; the Gardener API's has a name.
const GardenServices = "100.64.0.0/16"

// gardenFlags are the flags of a cluster without nodes.
func (in GardenInputs) gardenFlags(store storage) flags.Flags {
	f := in.commonFlags(GardenAPIServer, store, gardenPrefix, in.PKI.Garden)
	f.ServiceAccountIssuer, f.ExternalHostname = gardenIssuer(in.Door.Domain), GardenHostname(in.Door.Domain)
	f.EncryptionConfig, f.EncryptionReload = in.PKI.GardenEncryption, true
	f.BootstrapTokens = new(true) // of gardenlets
	f.ServiceCIDR = GardenServices
	f.EnableAdmission = []string{"ResourceQuota", "NamespaceLifecycle"}
	f.DisableAdmission = []string{"ServiceAccount"}
	f.APIAudiences = []string{"kubernetes", "gardener"}
	f.AuthorizationConfig = authorizationConfig(in.Paths)
	f.AuthenticationConfig = in.Settings.AuthenticationFile
	if in.Settings.OpenIDConnectWebhook.Enabled {
		f.TokenWebhook = tokenWebhookConfig(in.Paths)
	}
	f.SNICerts = []string{in.PKI.Inner.Server.Cert + "," + in.PKI.Inner.Server.Key + ":" + pki.InnerName}
	in.requestFlags(&f)
	return f
}

func (a Access) seedFlags(store storage, services string) flags.Flags {
	f := a.commonFlags(SeedAPIServer, store, seedPrefix, a.PKI.Seed)
	f.ServiceAccountIssuer = "https://kubernetes.default.svc"
	f.ServiceCIDR = services
	f.KubeletClientCert, f.KubeletClientKey = a.PKI.Seed.Kubelet.Cert, a.PKI.Seed.Kubelet.Key
	f.KubeletCA = a.PKI.Seed.CA
	f.KubeletAddressTypes = []string{"InternalIP"}
	f.EnableAdmission = []string{"NodeRestriction"}
	return f
}

func (a Access) commonFlags(name string, store storage, prefix string, c pki.Cluster) flags.Flags {
	return flags.Flags{
		BindAddress: "127.0.0.1", Port: int(a.Ports[name]), AdvertiseAddress: "127.0.0.1",
		EtcdServers: []string{store.endpoint}, EtcdPrefix: prefix,
		EtcdCA: store.ca, EtcdCert: store.cert, EtcdKey: store.key,
		ServingCert: c.Server.Cert, ServingKey: c.Server.Key, ClientCA: c.ClientCA,
		FrontProxyCA: c.FrontProxyCA, FrontProxyNames: []string{"system:kube-aggregator"},
		FrontProxyCert: c.Aggregator.Cert, FrontProxyKey: c.Aggregator.Key,
		ServiceAccountKeys: []string{c.ServiceAccountKey}, ServiceAccountSigningKey: c.ServiceAccountKey,
		EndpointReconciler: "none",
	}
}
