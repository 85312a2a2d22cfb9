package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

// timeout in seconds: writes of the gardenlet wait for the answer.
const timeout = 10

// Options say whose objects are changed, and how.
type Options struct {
	// Provider is the name of the provider, for example provider-local.
	Provider string
	// Type is spec.provider.type of the shoots.
	Type string
	// Mutators change the objects.
	Mutators Mutators
	// BindAddress is host:port; port 0 takes a free port. Default: 127.0.0.1:0, for API servers on the same machine.
	BindAddress string
	// Service is the Service through which the API server reaches this process. Without it URL is used, and without URL the address
	// listened on.
	Service *admissionregistrationv1.ServiceReference
	URL     string // https://host:port
	// Listen opens what the webhook accepts connections from, if that is no port of this machine; it replaces BindAddress. It needs Service.
	Listen func() (net.Listener, error)
	// Namespace of the Secret with the certificates, which restarts reuse and which are renewed in time. It must exist. Default: kube-system.
	Namespace string
}

// ConfigurationName is the name of the MutatingWebhookConfiguration of a provider.
func ConfigurationName(provider string) string { return "gardener-extension-" + provider }

// Name of the webhook of a provider type. Errors of refused requests contain it.
func Name(providerType string) string {
	return "controlplane." + providerType + ".extensions.gardener.cloud"
}

// Remove removes what Add leaves in a cluster that is not a seed of the provider any more: the registration and the certificates. options are
// those of Add. It may be repeated.
func Remove(ctx context.Context, c client.Client, options Options) error {
	secret := secretOf(options)
	if err := errors.Join(
		webhook.Register(ctx, c, ConfigurationName(options.Provider), nil, nil),
		client.IgnoreNotFound(c.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secret.Namespace, Name: secret.Name}})),
	); err != nil {
		return fmt.Errorf("remove webhook of %s: %w", options.Provider, err)
	}
	return nil
}

// secretOf is the Secret with the certificates.
func secretOf(options Options) types.NamespacedName {
	return types.NamespacedName{
		Namespace: cmp.Or(options.Namespace, metav1.NamespaceSystem), Name: ConfigurationName(options.Provider) + "-webhook-server",
	}
}

// Add serves and registers the webhook with the manager of a seed. The manager's readiness check "webhooks" says whether it is
// registered.
func Add(mgr manager.Manager, options Options) error {
	name := ConfigurationName(options.Provider)
	server := &webhook.Server{
		Name: name, Hooks: []webhook.Hook{hook(options)}, Clock: clock.RealClock{},
		Source: mgr.GetClient(), Reader: mgr.GetAPIReader(), Target: mgr.GetClient(),
		Secret:      secretOf(options),
		BindAddress: cmp.Or(options.BindAddress, "127.0.0.1:0"), Service: options.Service, URL: options.URL, Listen: options.Listen,
	}
	if err := errors.Join(mgr.Add(server), mgr.AddReadyzCheck("webhooks", server.Ready)); err != nil {
		return fmt.Errorf("add webhook of %s: %w", options.Provider, err)
	}
	return nil
}

// leaving are the objects that are being deleted or will be in a moment. A forced deletion must not need the provider's answer.
const leaving = "has(object.metadata.deletionTimestamp) || has(object.metadata.annotations) && '" + constants.ConfirmationDeletion + "' in object.metadata.annotations"

// resized are changes of the number of pods and of nothing that a Mutator cares for. A control plane must be stopped and started
// without the provider's answer: when a shoot goes to sleep, and when its nodes do not reach it.
const resized = "request.operation == 'UPDATE' && request.resource.resource == 'deployments' && " +
	"object.spec.template == oldObject.spec.template && object.?spec.?replicas != oldObject.?spec.?replicas"

func hook(options Options) webhook.Hook {
	return webhook.Hook{
		Name: Name(options.Type), Path: "/webhooks/controlplane", Handler: options.Mutators.handler(), Rules: options.Mutators.rules(),
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{constants.LabelShootProvider: options.Type}},
		ObjectSelector:    &metav1.LabelSelector{MatchLabels: map[string]string{constants.LabelExtensionProviderMutatedByControlplaneWebhook: "true"}},
		Conditions: []admissionregistrationv1.MatchCondition{
			{Name: "stays", Expression: "!(" + leaving + ")"},
			{Name: "changes", Expression: "!(" + resized + ")"},
		},
		TimeoutSeconds: timeout,
	}
}
