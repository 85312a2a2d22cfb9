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
	f.Tokens.Issuer, f.ExternalHostname = gardenIssuer(in.Door.Domain), GardenHostname(in.Door.Domain)
	f.Etcd.EncryptionConfig, f.Etcd.EncryptionReload = in.PKI.GardenEncryption, true
	f.BootstrapTokens = new(true) // of gardenlets
	f.ServiceCIDR = GardenServices
	f.EnableAdmission = []string{"ResourceQuota", "NamespaceLifecycle"}
	f.DisableAdmission = []string{"ServiceAccount"}
	f.Tokens.Audiences = []string{"kubernetes", "gardener"}
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
	f.Tokens.Issuer = "https://kubernetes.default.svc"
	f.ServiceCIDR = services
	f.Kubelets.Cert, f.Kubelets.Key = a.PKI.Seed.Kubelet.Cert, a.PKI.Seed.Kubelet.Key
	f.Kubelets.CA = a.PKI.Seed.CA
	f.Kubelets.AddressTypes = []string{"InternalIP"}
	f.EnableAdmission = []string{"NodeRestriction"}
	return f
}

func (a Access) commonFlags(name string, store storage, prefix string, c pki.Cluster) flags.Flags {
	return flags.Flags{
		BindAddress: "127.0.0.1", Port: int(a.Ports[name]), AdvertiseAddress: "127.0.0.1",
		Etcd:        flags.Etcd{Servers: []string{store.endpoint}, Prefix: prefix, CA: store.ca, Cert: store.cert, Key: store.key},
		ServingCert: c.Server.Cert, ServingKey: c.Server.Key, ClientCA: c.ClientCA,
		FrontProxy:         flags.FrontProxy{CA: c.FrontProxyCA, Names: []string{"system:kube-aggregator"}, Cert: c.Aggregator.Cert, Key: c.Aggregator.Key},
		Tokens:             flags.Tokens{Keys: []string{c.ServiceAccountKey}, SigningKey: c.ServiceAccountKey},
		EndpointReconciler: "none",
	}
}
