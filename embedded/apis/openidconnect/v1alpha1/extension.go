package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

const (
	// ExtensionType is the type of Extensions for shoots that verify tokens of OpenIDConnects.
	ExtensionType = "shoot-oidc-service"
	// KindService is the kind of Service.
	KindService = "OpenIDConnectService"
	// AnnotationAllowedIssuerHosts of a Seed lists names of issuers, separated by commas, that may have any address, even one
	// of the seed or of its machine. "*" in a name stands for any text.
	AnnotationAllowedIssuerHosts = "authentication.gardener.cloud/allowed-issuer-hosts"
)

// Service is the providerStatus of an Extension whose provider leaves it to the gardenlet to deploy the webhook. Any other
// status means that the provider deploys a webhook of its own.
type Service struct {
	metav1.TypeMeta `json:",inline"`
}
