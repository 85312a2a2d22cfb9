package vpn

import (
	"strconv"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
)

// Mode is one of the two modes of the tunnel into a shoot. Both use the same implementation, with the names and ports
// that clusters expect.
type Mode struct {
	// Server and Client are the names of the workloads, of the server's Service, and of the certificates.
	Server, Client string
	// agentPort is where the front door forwards the client, egressPort where the API server connects, healthPort for
	// probes
	agentPort, egressPort, healthPort int32
}

// ReversedVPN is the default mode.
func ReversedVPN() Mode {
	return Mode{Server: "vpn-seed-server", Client: "vpn-shoot-client", agentPort: 1194, egressPort: 9443, healthPort: 8080}
}

// Konnectivity is the other mode, the API server network proxy.
func Konnectivity() Mode {
	return Mode{Server: "proxy-server", Client: "proxy-agent", agentPort: 8132, egressPort: 8131, healthPort: 8134}
}

// other returns the mode that a shoot may have used before.
func (m Mode) other() Mode {
	if m == Konnectivity() {
		return ReversedVPN()
	}
	return Konnectivity()
}

// Annotations of Shoots that override the feature gates for one shoot.
const (
	AnnotationReversedVPN  = "alpha.featuregates.shoot.gardener.cloud/reversed-vpn"
	AnnotationKonnectivity = "alpha.featuregates.shoot.gardener.cloud/konnectivity-tunnel"
)

// Gates are the feature gates of the gardenlet for the tunnels of shoots.
type Gates struct{ APIServerSNI, ReversedVPN, Konnectivity bool }

// ModeOf decides on the mode of a shoot with these annotations. Annotation values other than true and false are
// ignored. The annotation of the reversed VPN is ignored, too, if the gate APIServerSNI is off.
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

// Egress returns the settings of the API server for the tunnel.
func (m Mode) Egress(secrets Secrets) *kubeapiserver.Egress {
	return &kubeapiserver.Egress{Service: m.Server, Port: m.egressPort, CASecret: secrets.CA, ClientSecret: secrets.Egress}
}
