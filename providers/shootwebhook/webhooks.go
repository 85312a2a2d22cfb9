package shootwebhook

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/webhook"
)

const (
	// announced is longer than a shoot is without its resource manager, unless it sleeps: then nothing calls webhooks, either.
	announced = 24 * time.Hour
	// mostSeconds and mostSecondsForLeases are the timeouts above which Gardener calls a webhook of a shoot problematic.
	mostSeconds, mostSecondsForLeases = 15, 3
)

// limits of what shoots may ask. A user of a shoot may register a webhook of his own at the same Service, for all objects. One caller is one
// address: that of an API server where API servers are pods, and the same for all of them in an embedded seed. A request has an object at most twice, as it
// was and as it will be.
func limits() *webhook.Limits {
	return &webhook.Limits{AtOnce: 16, PerCaller: 4, Waiting: 64, Patience: 2 * time.Second, Bytes: 1 << 20}
}

// Webhooks are the webhooks of an extension in its shoots.
type Webhooks struct {
	// Provider is the name of the extension, for example provider-local.
	Provider string
	// Hooks must have MayFail, and a timeout of at most 15 seconds, or 3 seconds for Leases. Their selectors select in the shoot.
	Hooks []webhook.Hook
	// Service of the seed leads to the server. API servers of shoots call no Services outside of the namespaces of extensions, whose names begin
	// with "extension-".
	Service types.NamespacedName
	// Port of the Service.
	Port int32
}

// Serving says where a server listens.
type Serving struct {
	// BindAddress is host:port.
	BindAddress string
	// Listen replaces BindAddress; may be nil.
	Listen func() (net.Listener, error)
}

// Serve serves the webhooks with the manager of the seed, in every replica, whether or not it is the leader. It makes and renews the certificates. The
// manager's readiness check "shoot-webhooks" says whether the server answers. The process needs the verbs get, create and update for the Secret
// Certificates.
func (w Webhooks) Serve(mgr manager.Manager, at Serving) error {
	if err := w.check(); err != nil {
		return err
	}
	server := &webhook.Server{
		Name: w.ConfigurationName(), Hooks: w.Hooks, Clock: clock.RealClock{}, Announced: announced, Limits: limits(),
		Source: mgr.GetClient(), Reader: mgr.GetAPIReader(), Secret: w.Certificates(), BindAddress: at.BindAddress, Listen: at.Listen, URL: w.url(),
	}
	if err := errors.Join(mgr.Add(server), mgr.AddReadyzCheck("shoot-webhooks", server.Ready)); err != nil {
		return fmt.Errorf("add shoot webhooks of %s: %w", w.Provider, err)
	}
	return nil
}

// ConfigurationName is the name of the webhook configurations in shoots.
func (w Webhooks) ConfigurationName() string { return "gardener-extension-" + w.Provider + "-shoot" }

// ResourceName is the name of the ManagedResources.
func (w Webhooks) ResourceName() string { return "extension-" + w.Provider + "-shoot-webhooks" }

// Certificates is the Secret with authority and certificate of the server, beside the Service.
func (w Webhooks) Certificates() types.NamespacedName {
	return types.NamespacedName{Namespace: w.Service.Namespace, Name: "gardener-extension-" + w.Provider + "-shoot-webhook-server"}
}

// url is where API servers of shoots call. It is the same in each seed, so a shoot that moves keeps it.
func (w Webhooks) url() string {
	return "https://" + net.JoinHostPort(w.Service.Name+"."+w.Service.Namespace+".svc", strconv.Itoa(int(w.Port)))
}

// ServiceAnnotations are annotations of the Service. If the seed enforces network policies, they allow connections from API servers of shoots to a port of
// the server's pods.
func ServiceAnnotations(targetPort int32) map[string]string {
	return map[string]string{
		"networking.resources.gardener.cloud/namespace-selectors":                    `[{"matchLabels":{"` + constants.GardenRole + `":"` + constants.GardenRoleShoot + `"}}]`,
		"networking.resources.gardener.cloud/from-all-webhook-targets-allowed-ports": fmt.Sprintf(`[{"protocol":"TCP","port":%d}]`, targetPort),
	}
}

// documents are the configurations for a shoot, by file name.
func (w Webhooks) documents(bundle []byte) (map[string][]byte, error) {
	mutating, validating := webhook.Configurations(w.ConfigurationName(), w.Hooks, func(path string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{URL: ptr.To(w.url() + path), CABundle: bundle}
	})
	version := admissionregistrationv1.SchemeGroupVersion.String()
	mutating.TypeMeta = metav1.TypeMeta{APIVersion: version, Kind: "MutatingWebhookConfiguration"}
	validating.TypeMeta = metav1.TypeMeta{APIVersion: version, Kind: "ValidatingWebhookConfiguration"}
	out := map[string][]byte{}
	for name, used := range map[string]struct {
		object any
		hooks  int
	}{"mutating.yaml": {mutating, len(mutating.Webhooks)}, "validating.yaml": {validating, len(validating.Webhooks)}} {
		if used.hooks == 0 {
			continue
		}
		text, err := yaml.Marshal(used.object)
		if err != nil {
			return nil, fmt.Errorf("encode webhook configuration: %w", err)
		}
		out[name] = text
	}
	return out, nil
}

// check refuses webhooks that could stop a shoot, and a Service that no API server of a shoot may call.
func (w Webhooks) check() error {
	var errs []error
	if !strings.HasPrefix(w.Service.Namespace, constants.ExtensionNamespacePrefix) {
		errs = append(errs, fmt.Errorf("service %s: API servers of shoots call Services in namespaces with the prefix %s only", w.Service, constants.ExtensionNamespacePrefix))
	}
	if len(w.Hooks) == 0 {
		errs = append(errs, errors.New("there are no hooks"))
	}
	for _, hook := range w.Hooks {
		most := int32(mostSeconds)
		for _, rule := range hook.Rules {
			for _, resource := range rule.Resources {
				if strings.HasPrefix(resource, "*") || strings.HasPrefix(resource, "leases") {
					most = mostSecondsForLeases
				}
			}
		}
		if !hook.MayFail {
			errs = append(errs, fmt.Errorf("hook %s: set MayFail, or nodes and system components of shoots would stop while the extension is down", hook.Name))
		}
		if hook.TimeoutSeconds <= 0 || hook.TimeoutSeconds > most {
			errs = append(errs, fmt.Errorf("hook %s: TimeoutSeconds is %d and must be between 1 and %d", hook.Name, hook.TimeoutSeconds, most))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("shoot webhooks of %s: %w", w.Provider, err)
	}
	return nil
}
