package shoot

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// apiServerAddresses are the names of advertised addresses of the API server. Other addresses belong to applications or
// are no addresses, such as the service account issuer.
var apiServerAddresses = []string{
	constants.AdvertisedAddressExternal, constants.AdvertisedAddressExternalDomain, constants.AdvertisedAddressInternal, "ip", constants.AdvertisedAddressUnmanaged,
	constants.AdvertisedAddressWildcardTLSSeedBound,
}

// newKubeconfig writes a kubeconfig with one cluster and one context per address. All share the credentials. The first
// context is the current one.
func newKubeconfig(s *core.Shoot, bundle []byte, client *credentials, frontDoor FrontDoor) ([]byte, error) {
	config := clientcmdapi.NewConfig()
	var user string
	for i, address := range useful(s.Status.AdvertisedAddresses) {
		parsed, err := url.Parse(address.URL)
		if err != nil {
			return nil, fmt.Errorf("advertised address %q: %w", address.Name, err)
		}
		if _, err := netip.ParseAddr(parsed.Hostname()); i == 0 && err == nil {
			frontDoor = FrontDoor{} // users can dial the first address as it is, and clients such as gardenlogin look for it
		}
		cluster := clientcmdapi.NewCluster()
		cluster.CertificateAuthorityData = bundle
		cluster.Server = "https://" + parsed.Host
		if door := frontDoor.of(parsed.Hostname()); door != "" {
			cluster.Server, cluster.TLSServerName = "https://"+door, parsed.Hostname()
		}
		name := fmt.Sprintf("%s--%s-%s", s.Namespace, s.Name, address.Name)
		if user == "" {
			user = name
		}
		context := clientcmdapi.NewContext()
		context.Cluster, context.AuthInfo = name, user
		config.Clusters[name], config.Contexts[name] = cluster, context
	}
	auth := clientcmdapi.NewAuthInfo()
	auth.ClientCertificateData, auth.ClientKeyData = client.cert, client.key
	config.AuthInfos[user] = auth
	config.CurrentContext = user
	return clientcmd.Write(*config)
}

func useful(all []core.ShootAdvertisedAddress) []core.ShootAdvertisedAddress {
	var out []core.ShootAdvertisedAddress
	for _, address := range all {
		if slices.Contains(apiServerAddresses, address.Name) {
			out = append(out, address)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}
