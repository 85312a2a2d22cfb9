package servers

import (
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/embedded/oidcwebhook"
)

// TokenWebhookKubeconfig is the kubeconfig of the webhook that verifies tokens of the garden's OpenIDConnects.
func (in Inputs) TokenWebhookKubeconfig() string {
	return in.Paths.Kubeconfig("oidc-webhook-authenticator")
}

// TokenWebhookAccess is how that webhook reaches the garden.
func (in Inputs) TokenWebhookAccess() pki.Access {
	return in.Garden("oidc-webhook-authenticator", in.PKI.TokenWebhook.User)
}

// tokenWebhookConfig is the kubeconfig by which the garden's API server calls the webhook.
func (in Inputs) tokenWebhookConfig() string { return in.Paths.Kubeconfig("token-webhook") }

// writeTokenWebhook writes both kubeconfigs, unless the garden has no webhook.
func (in Inputs) writeTokenWebhook() error {
	if in.PKI.TokenWebhook == (pki.TokenWebhook{}) {
		return nil
	}
	if err := in.TokenWebhookAccess().WriteKubeconfig(in.TokenWebhookKubeconfig()); err != nil {
		return err
	}
	return pki.Access{
		Name: "token-webhook", Server: in.Ports.URL(TokenWebhook) + oidcwebhook.Path, CA: in.PKI.Inner.CA, User: in.PKI.TokenWebhook.Caller,
	}.WriteKubeconfig(in.tokenWebhookConfig())
}
