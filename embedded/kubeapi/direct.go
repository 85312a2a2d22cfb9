package kubeapi

import (
	"context"
	"errors"
	"fmt"
	_ "unsafe" // for go:linkname

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/server/egressselector"

	"github.com/gardener-up/gardener-up/embedded/guardeddial"
)

// directDialer is how the egress selector connects without a tunnel. It is the dialer of http.DefaultTransport before that was
// guarded. Authorization webhooks take no other dialer.
//
//go:linkname directDialer k8s.io/apiserver/pkg/server/egressselector.directDialer
var directDialer utilnet.DialFunc

// guardDirect applies the rules to direct connections of egress selectors. It fails if they have no effect, which a new version of
// Kubernetes could cause: an API server without the guard must not start.
func guardDirect(rules guardeddial.Rules) error {
	directDialer = rules.DialContext
	selector, err := egressselector.NewEgressSelector(&apiserver.EgressSelectorConfiguration{EgressSelections: []apiserver.EgressSelection{
		{Name: "controlplane", Connection: apiserver.Connection{ProxyProtocol: apiserver.ProtocolDirect}},
	}})
	if err != nil {
		return fmt.Errorf("make egress selector: %w", err)
	}
	dial, err := selector.Lookup(egressselector.ControlPlane.AsNetworkContext())
	if err != nil {
		return fmt.Errorf("look for the direct way of the egress selector: %w", err)
	}
	conn, err := dial(context.Background(), "tcp", "0.0.0.0:1") // an address that all rules refuse
	if conn != nil {
		_ = conn.Close()
	}
	var refused *guardeddial.RefusedError
	if !errors.As(err, &refused) {
		return errors.New("the direct way of egress selectors cannot be guarded")
	}
	return nil
}
