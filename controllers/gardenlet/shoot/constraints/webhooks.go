package constraints

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const (
	// excludeLabel is the label of webhook configurations whose owner knows what they do.
	excludeLabel = "remediation.webhook.shoot.gardener.cloud/exclude"
	// A webhook that fails open still delays each request by its timeout, in seconds. Leaders lose their leases sooner.
	mostSeconds, mostSecondsForLeases = 15, 3
)

// webhook is what both kinds of webhooks have in common.
type webhook struct {
	name                string
	policy              *admissionregistrationv1.FailurePolicyType
	seconds             *int32
	rules               []admissionregistrationv1.RuleWithOperations
	namespaces, objects *metav1.LabelSelector
}

// Webhooks decides whether webhooks of users may block system components. It keeps no more of them than a message tells.
type Webhooks struct{ problems few }

// AddValidating looks at some configurations.
func (h *Webhooks) AddValidating(configurations []admissionregistrationv1.ValidatingWebhookConfiguration) {
	for _, configuration := range configurations {
		for _, w := range configuration.Webhooks {
			h.problems.add(problem("ValidatingWebhookConfiguration", configuration.ObjectMeta,
				webhook{w.Name, w.FailurePolicy, w.TimeoutSeconds, w.Rules, w.NamespaceSelector, w.ObjectSelector}))
		}
	}
}

// AddMutating looks at some configurations.
func (h *Webhooks) AddMutating(configurations []admissionregistrationv1.MutatingWebhookConfiguration) {
	for _, configuration := range configurations {
		for _, w := range configuration.Webhooks {
			h.problems.add(problem("MutatingWebhookConfiguration", configuration.ObjectMeta,
				webhook{w.Name, w.FailurePolicy, w.TimeoutSeconds, w.Rules, w.NamespaceSelector, w.ObjectSelector}))
		}
	}
}

// Finding is about all configurations that were added.
func (h *Webhooks) Finding() conditions.Finding {
	if h.problems.count == 0 {
		return conditions.True("NoProblematicWebhooks", "All webhooks are properly configured.")
	}
	return conditions.False("ProblematicWebhooks", h.problems.text("; "), gardencorev1beta1.ErrorProblematicWebhook)
}

// problem describes a webhook that is problematic. It returns nothing for other ones.
func problem(kind string, configuration metav1.ObjectMeta, w webhook) string {
	if configuration.Labels[excludeLabel] == "true" || configuration.Labels[resourcesv1alpha1.ManagedBy] == "gardener" {
		return ""
	}
	for _, rule := range w.rules {
		for _, resource := range resources {
			if w.blocks(resource.lease) && resource.matches(rule.Rule, w.namespaces, w.objects) {
				return fmt.Sprintf("%s %q: webhook %q with failurePolicy %s and timeout %s is called for %s and may block nodes and system components",
					kind, configuration.Name, w.name, w.policyText(), w.secondsText(), resource.resource)
			}
		}
	}
	return ""
}

// blocks reports whether the webhook blocks requests that it does not answer, or delays them too long.
func (w webhook) blocks(lease bool) bool {
	most := int32(mostSeconds)
	if lease {
		most = mostSecondsForLeases
		return w.seconds == nil || *w.seconds > most
	}
	return w.policy == nil || *w.policy != admissionregistrationv1.Ignore || w.seconds == nil || *w.seconds > most
}

func (w webhook) policyText() string {
	if w.policy == nil {
		return string(admissionregistrationv1.Fail)
	}
	return string(*w.policy)
}

func (w webhook) secondsText() string {
	if w.seconds == nil {
		return "unset"
	}
	return fmt.Sprintf("%ds", *w.seconds)
}
