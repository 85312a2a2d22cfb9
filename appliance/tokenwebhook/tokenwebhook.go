// Package tokenwebhook lets people log in to the garden with tokens of identity providers that operators add while it runs. It
// runs the webhook of embedded/oidcwebhook in the process of the landscape, and installs its kind in the garden.
package tokenwebhook

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/landscape"
	"github.com/gardener-up/gardener-up/appliance/loop"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/servers"
	objects "github.com/gardener-up/gardener-up/controllers/gardenlet/component/oidcwebhook"
	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/guardeddial"
	"github.com/gardener-up/gardener-up/embedded/oidcwebhook"
)

const (
	title = "identity providers of the garden"
	// kindPart is the name of the part that installs the kind.
	kindPart = "garden-openidconnects"
	// authentication is the ConfigMap that names the CA of clients.
	authentication = "extension-apiserver-authentication"
)

// Inputs of the parts.
type Inputs struct {
	Access servers.Access
	// Kubeconfig is the file by which the webhook reaches the garden.
	Kubeconfig string
	Log        logr.Logger
	// AllowedIssuerHosts are names of issuers that may have any address.
	AllowedIssuerHosts []string
	// PrivateNetworks are the private networks in which other issuers may be.
	PrivateNetworks []netip.Prefix
}

// Users are the names of the webhook in the garden, and of the garden's API server at the webhook.
func Users() *pki.WebhookUsers {
	return &pki.WebhookUsers{Webhook: objects.User, Caller: objects.Caller}
}

// Parts are the objects in the garden and the webhook. The garden's API server runs before them. Only tokens that it does not know
// itself have to wait for the webhook.
func Parts(in Inputs) []component.Part {
	var installed atomic.Bool // is not asked again while it runs
	return []component.Part{
		{After: []string{servers.GardenAPIServer}, Title: title, Component: component.NewStep(kindPart, nil, func(ctx context.Context) error {
			if installed.Load() {
				return nil
			}
			err := in.install(ctx)
			installed.Store(err == nil)
			return err
		})},
		{
			After: []string{kindPart}, Title: title, Restart: true, Health: in.Access.Ports.URL(servers.TokenWebhook) + "/healthz",
			Component: loop.New(servers.TokenWebhook, in.run, in.ready),
		},
	}
}

// install writes the objects, and reads as the webhook what that needs when it starts. A new garden needs a moment for both.
func (in Inputs) install(ctx context.Context) error {
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), rbacv1.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), oidcv1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	garden, err := client.New(in.Access.GardenClient(), client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	all, err := objects.ClusterObjects()
	if err != nil {
		return err
	}
	if err := landscape.Register(ctx, garden, all); err != nil {
		return err
	}
	webhook, err := client.New(in.Access.TokenWebhookAccess().Config(), client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	if err := webhook.List(ctx, &oidcv1alpha1.OpenIDConnectList{}); err != nil {
		return fmt.Errorf("list OpenIDConnects: %w", err)
	}
	if err := webhook.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: authentication}, &corev1.ConfigMap{}); err != nil {
		return fmt.Errorf("read the CA of clients: %w", err)
	}
	return nil
}

func (in Inputs) run(ctx context.Context) error { return oidcwebhook.Run(ctx, in.config()) }

func (in Inputs) rules() guardeddial.Rules {
	return guardeddial.Rules{Hosts: in.AllowedIssuerHosts, Private: in.PrivateNetworks}
}

func (in Inputs) config() oidcwebhook.Config {
	return oidcwebhook.Config{
		Kubeconfig: in.Kubeconfig, BindAddress: net.IPv4(127, 0, 0, 1), Port: int(in.Access.Ports[servers.TokenWebhook]),
		CertFile: in.Access.PKI.TokenWebhook.Server.Cert, KeyFile: in.Access.PKI.TokenWebhook.Server.Key,
		Dial: in.rules().DialContext, Log: in.Log.WithName(oidcwebhook.Name),
	}
}

func (in Inputs) ready(ctx context.Context) error {
	c, err := rest.HTTPClientFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{CAFile: in.Access.PKI.Inner.CA}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.Access.Ports.URL(servers.TokenWebhook)+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the webhook for OpenIDConnects answers %s", resp.Status)
	}
	return nil
}
