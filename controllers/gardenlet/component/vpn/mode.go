package vpn

import (
	"strconv"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
)

// Mode is one of the ways into a shoot. Both are the same tunnel, under the names and at the ports that clusters know.
type Mode struct {
	// Server and Client are the names of the workloads, of the server's Service, and of the certificates.
	Server, Client string
	// agentPort is where the front door leads the client to, egressPort where the API server asks, healthPort for probes.
	agentPort, egressPort, healthPort int32
}

// ReversedVPN is the usual mode.
func ReversedVPN() Mode {
	return Mode{Server: "vpn-seed-server", Client: "vpn-shoot-client", agentPort: 1194, egressPort: 9443, healthPort: 8080}
}

// Konnectivity is the other one, the API server network proxy.
func Konnectivity() Mode {
	return Mode{Server: "proxy-server", Client: "proxy-agent", agentPort: 8132, egressPort: 8131, healthPort: 8134}
}

// other is the mode that a shoot may have had before.
func (m Mode) other() Mode {
	if m == Konnectivity() {
		return ReversedVPN()
	}
	return Konnectivity()
}

// Annotations of Shoots by which one shoot differs from what the gates say.
const (
	AnnotationReversedVPN  = "alpha.featuregates.shoot.gardener.cloud/reversed-vpn"
	AnnotationKonnectivity = "alpha.featuregates.shoot.gardener.cloud/konnectivity-tunnel"
)

// Gates are the gardenlet's feature gates about ways into shoots.
type Gates struct{ APIServerSNI, ReversedVPN, Konnectivity bool }

// ModeOf decides for a shoot with these annotations. Values of annotations that are neither true nor false are ignored, as is
// the one about the reversed VPN where the gate APIServerSNI is off.
func (g Gates) ModeOf(annotations map[string]string) Mode {
	konnectivity := g.Konnectivity || !g.ReversedVPN
	if reversed, err := strconv.ParseBool(annotations[AnnotationReversedVPN]); err == nil && g.APIServerSNI {
		konnectivity = !reversed
	}
	if asked, err := strconv.ParseBool(annotations[AnnotationKonnectivity]); err == nil {
		konnectivity = asked
	}
	if konnectivity {
		return Konnectivity()
	}
	return ReversedVPN()
}

// Egress is what the API server has to know of the tunnel.
func (m Mode) Egress(secrets Secrets) *kubeapiserver.Egress {
	return &kubeapiserver.Egress{Service: m.Server, Port: m.egressPort, CASecret: secrets.CA, ClientSecret: secrets.Egress}
}
