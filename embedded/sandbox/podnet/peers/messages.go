package peers

import (
	"net/netip"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
)

// request asks a node for a connection to one of its pods.
type request struct {
	Protocol podnet.Protocol `json:"protocol"`
	// Pod is the address of the pod and the port.
	Pod netip.AddrPort `json:"pod"`
	// Source is the address that the pod sees as the origin.
	Source netip.Addr `json:"source"`
}

// reply comes with the connection, if there is no error.
type reply struct {
	Error string `json:"error,omitempty"`
}
