// Package bastion handles Bastions without making a host. The nodes of a shoot are processes or containers of this machine, so there
// is no firewall to pass. The status has the address of the machine itself.
package bastion

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Address is the address of all bastions.
const Address = "127.0.0.1"

// New makes the actuator.
func New() contract.BastionActuator {
	return contract.Simple[*extensionsv1alpha1.Bastion]{Apply: apply}
}

func apply(_ context.Context, _ *contract.Cluster, bastion *extensionsv1alpha1.Bastion) error {
	if err := validate(bastion.Spec.Ingress); err != nil {
		return contract.Permanent(err, "ERR_CONFIGURATION_PROBLEM")
	}
	bastion.Status.Ingress = &corev1.LoadBalancerIngress{IP: Address, Hostname: "localhost"}
	bastion.Status.SetProviderStatus(api.Encode(api.Simulated{TypeMeta: api.Meta("Simulated"), Simulated: true}))
	return nil
}

// validate applies the checks that a firewall would make.
func validate(ingress []extensionsv1alpha1.BastionIngressPolicy) error {
	if len(ingress) == 0 {
		return errors.New("nobody may connect: spec.ingress is empty")
	}
	for _, policy := range ingress {
		if _, err := netip.ParsePrefix(policy.IPBlock.CIDR); err != nil {
			return fmt.Errorf("range of spec.ingress: %w", err)
		}
	}
	return nil
}
