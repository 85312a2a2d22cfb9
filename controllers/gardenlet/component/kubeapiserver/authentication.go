package kubeapiserver

import (
	"errors"
	"fmt"
	"strings"

	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// authenticationConfiguration writes the user's document anew. The fields of its versions are the same.
func authenticationConfiguration(v Values) (string, error) {
	document := &apiserverv1.AuthenticationConfiguration{}
	err := yaml.UnmarshalStrict([]byte(v.Authentication), document)
	switch {
	case err != nil:
	case document.Kind != "AuthenticationConfiguration" || !strings.HasPrefix(document.APIVersion, apiserverv1.GroupName+"/"):
		err = fmt.Errorf("it must have kind AuthenticationConfiguration and apiVersion %s, not %q and %q", configVersion, document.Kind, document.APIVersion)
	default:
		err = chooseEgress(v, document.JWT)
	}
	if err != nil {
		return "", contract.WithCodes(fmt.Errorf("authentication configuration: %w", err), gardencorev1beta1.ErrorConfigurationProblem)
	}
	raw, err := yaml.Marshal(document)
	if err != nil {
		return "", fmt.Errorf("encode authentication configuration: %w", err)
	}
	return string(raw), nil
}

// chooseEgress leaves two ways to issuers: through the tunnel into the shoot, and from the pod itself.
func chooseEgress(v Values, authenticators []apiserverv1.JWTAuthenticator) error {
	for i := range authenticators {
		switch egress := &authenticators[i].Issuer.EgressSelectorType; {
		case *egress == apiserverv1.EgressSelectorControlPlane:
			*egress = "" // the network of the control plane is that of the pod
		case *egress == apiserverv1.EgressSelectorCluster && v.Egress == nil:
			return errors.New("egressSelectorType cluster is not possible, because this API server has no tunnel into its cluster")
		}
	}
	return nil
}
