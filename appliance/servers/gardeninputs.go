package servers

import (
	"net"
	"net/url"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/snapshots"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/tokenkeys"
)

// GardenInputs are what the servers of the garden need.
type GardenInputs struct {
	Etcds
	Door      Door
	Settings  config.Garden // of the user
	ClusterID string        // identity of the garden
	Zone      *dns.Zone     // records of shoots
	Admission *Admission
	TokenKeys *tokenkeys.Keys // of service accounts
	// Snapshots is called with what makes the snapshots of the garden's etcd.
	Snapshots func(*snapshots.Keeper)
}

// NewTokenKeys are the keys of service accounts in the garden. domain is that of the garden.
func NewTokenKeys(garden pki.Cluster, domain string) *tokenkeys.Keys {
	return tokenkeys.New(gardenIssuer(domain), garden.ServiceAccountKey, garden.FormerServiceAccountKeys)
}

func gardenIssuer(domain string) string { return "https://" + GardenHostname(domain) }

// GardenEncrypted are the kinds that the API servers of the garden encrypt, by the prefixes of their keys in etcd.
func GardenEncrypted() map[string]schema.GroupVersionKind {
	kinds := map[string]schema.GroupVersionKind{gardenPrefix + "/secrets/": corev1.SchemeGroupVersion.WithKind("Secret")}
	for resource, kind := range map[string]string{
		"shootstates": "ShootState", "internalsecrets": "InternalSecret", "controllerdeployments": "ControllerDeployment", "controllerregistrations": "ControllerRegistration",
	} {
		kinds[gardenapi.DefaultEtcdPrefix+"/"+gardencorev1beta1.GroupName+"/"+resource+"/"] = gardencorev1beta1.SchemeGroupVersion.WithKind(kind)
	}
	return kinds
}

// tokenIssuer is the URL of the issuer of tokens of WorkloadIdentities. Systems outside fetch its documents by exactly
// this URL, so it includes the port of the front door.
func (in GardenInputs) tokenIssuer() string {
	host := DiscoveryHostname(in.Door.Domain)
	if port := in.Ports[FrontDoor]; port != 443 {
		host = net.JoinHostPort(host, strconv.Itoa(int(port)))
	}
	issuer := url.URL{Scheme: "https", Host: host, Path: "/garden/workload-identity/issuer"}
	return issuer.String()
}
