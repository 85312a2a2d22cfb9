package operation

import (
	"net"
	"net/netip"
	"strconv"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Domain contains the DNS records of a shoot.
type Domain struct {
	// Name is the domain of the shoot: the API server is api.<Name>.
	Name string
	// Provider is the type of the DNS provider, Zone its hosted zone if one is given.
	Provider, Zone string
	// Credentials of the provider.
	Credentials map[string][]byte
}

// APIServer is the name of the API server of the shoot in the domain.
func (d *Domain) APIServer() string { return constants.APIServerFQDNPrefix + "." + d.Name }

// Owner is the name whose record says which seed is responsible for the shoot.
func (d *Domain) Owner() string { return constants.OwnerPrefix + "." + d.Name }

// Domains are the domains of a shoot.
type Domains struct {
	// Internal is the domain of the shoot in the internal domain of the landscape. External is the domain in the Shoot;
	// it is nil if the shoot has none that is managed.
	Internal, External *Domain
}

// APIServerHosts are the names of the API server for clients outside of the seed, the external one first.
func (d Domains) APIServerHosts() []string {
	var hosts []string
	if d.External != nil {
		hosts = append(hosts, d.External.APIServer())
	}
	return append(hosts, d.Internal.APIServer())
}

// AdvertisedAddresses are the URLs of the API server for users, the preferred one first: that of the door, if it is valid. URLs of
// domains have no port if it is the default.
func (d Domains) AdvertisedAddresses(door netip.AddrPort, port int) []gardencorev1beta1.ShootAdvertisedAddress {
	url := func(host string) string {
		if port == 443 || port == 0 {
			return "https://" + host
		}
		return "https://" + net.JoinHostPort(host, strconv.Itoa(port))
	}
	var out []gardencorev1beta1.ShootAdvertisedAddress
	external := constants.AdvertisedAddressExternal
	if door.IsValid() {
		out = append(out, gardencorev1beta1.ShootAdvertisedAddress{Name: external, URL: "https://" + door.String()})
		external = constants.AdvertisedAddressExternalDomain
	}
	if d.External != nil {
		out = append(out, gardencorev1beta1.ShootAdvertisedAddress{Name: external, URL: url(d.External.APIServer())})
	}
	return append(out, gardencorev1beta1.ShootAdvertisedAddress{Name: constants.AdvertisedAddressInternal, URL: url(d.Internal.APIServer())})
}
