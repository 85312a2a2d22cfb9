// Package network accepts the pod networks local, calico and cilium. Pods of embedded nodes have addresses on the host's
// loopback network and reach each other without help, so none of them is installed; the status says so.
package network

import (
	"context"
	"fmt"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Types are the networks accepted.
func Types() []string { return []string{api.Type, "calico", "cilium"} }

// New makes the actuator.
func New() contract.NetworkActuator {
	return contract.Simple[*extensionsv1alpha1.Network]{Apply: apply}
}

func apply(_ context.Context, _ *contract.Cluster, network *extensionsv1alpha1.Network) error {
	status := api.NetworkStatus{TypeMeta: api.Meta("NetworkStatus"), Message: "embedded nodes connect pods by the host's loopback network"}
	if network.Spec.Type != api.Type {
		status.Simulated = true
		status.Message = fmt.Sprintf("%s is simulated: %s, network policies are not enforced", network.Spec.Type, status.Message)
	}
	network.Status.ProviderStatus = api.Encode(status)
	return nil
}
