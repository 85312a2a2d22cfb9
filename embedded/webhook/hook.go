// Package webhook serves the admission webhooks of a controller process. It makes and renews their certificates,
// listens, and registers the webhooks at the cluster's API server. Other packages implement the webhooks' decisions.
package webhook

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Hook is one webhook: the requests that call it, and its handler.
type Hook struct {
	Name              string // full name, as in "x.resources.gardener.cloud"
	Path              string // begins with /webhooks/
	Handler           admission.Handler
	Validating        bool // else it mutates
	Rules             []admissionregistrationv1.RuleWithOperations
	NamespaceSelector *metav1.LabelSelector // nil means all
	ObjectSelector    *metav1.LabelSelector // nil means all
	Conditions        []admissionregistrationv1.MatchCondition
	// MayFail lets requests pass if the webhook does not answer. Otherwise they are refused.
	MayFail bool
	// TimeoutSeconds is 10 when zero.
	TimeoutSeconds int32
	// Reinvoke calls a mutating webhook again if other webhooks changed the object after it.
	Reinvoke bool
}

// Rule selects operations on resources of one group, in all given versions.
func Rule(group string, versions, resources []string, operations ...admissionregistrationv1.OperationType) admissionregistrationv1.RuleWithOperations {
	return admissionregistrationv1.RuleWithOperations{
		Operations: operations,
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: versions, Resources: resources},
	}
}

// CreatedPods is the rule of most mutating webhooks.
func CreatedPods() []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{Rule("", []string{"v1"}, []string{"pods"}, admissionregistrationv1.Create)}
}

// Without selects objects that do not have the label with the value.
func Without(label, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: label, Operator: metav1.LabelSelectorOpNotIn, Values: []string{value}},
	}}
}

func (h Hook) failurePolicy() *admissionregistrationv1.FailurePolicyType {
	if h.MayFail {
		return ptr.To(admissionregistrationv1.Ignore)
	}
	return ptr.To(admissionregistrationv1.Fail)
}

func (h Hook) timeout() *int32 {
	if h.TimeoutSeconds == 0 {
		return ptr.To[int32](10)
	}
	return &h.TimeoutSeconds
}

func selector(s *metav1.LabelSelector) *metav1.LabelSelector {
	if s == nil {
		return &metav1.LabelSelector{}
	}
	return s
}
