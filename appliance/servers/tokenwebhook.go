package servers

import (
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/embedded/oidcwebhook"
)

// TokenWebhookKubeconfig is the kubeconfig of the webhook that verifies tokens of the garden's OpenIDConnects.
func TokenWebhookKubeconfig(p paths.Paths) string {
	return p.Kubeconfig("oidc-webhook-authenticator")
}

// TokenWebhookAccess is how that webhook reaches the garden.
func (a Access) TokenWebhookAccess() pki.Access {
	return a.Garden("oidc-webhook-authenticator", a.PKI.TokenWebhook.User)
}

// tokenWebhookConfig is the kubeconfig by which the garden's API server calls the webhook.
func tokenWebhookConfig(p paths.Paths) string { return p.Kubeconfig("token-webhook") }

// writeTokenWebhook writes both kubeconfigs, unless the garden has no webhook.
func (a Access) writeTokenWebhook(p paths.Paths) error {
	if a.PKI.TokenWebhook == (pki.TokenWebhook{}) {
		return nil
	}
	if err := a.TokenWebhookAccess().WriteKubeconfig(TokenWebhookKubeconfig(p)); err != nil {
		return err
	}
	return pki.Access{
		Name: "token-webhook", Server: a.Ports.URL(TokenWebhook) + oidcwebhook.Path, CA: a.PKI.Inner.CA, User: a.PKI.TokenWebhook.Caller,
	}.WriteKubeconfig(tokenWebhookConfig(p))
}
