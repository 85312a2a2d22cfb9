package constraints

import (
	"fmt"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func hook(group, resource string, change ...func(*admissionregistrationv1.ValidatingWebhookConfiguration)) admissionregistrationv1.ValidatingWebhookConfiguration {
	out := admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "guard", Labels: map[string]string{}},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "guard.example.org", FailurePolicy: ptr.To(admissionregistrationv1.Fail), TimeoutSeconds: ptr.To[int32](5),
			Rules: []admissionregistrationv1.RuleWithOperations{{Rule: admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: []string{resource}}}},
		}},
	}
	for _, f := range change {
		f(&out)
	}
	return out
}

func open(seconds int32) func(*admissionregistrationv1.ValidatingWebhookConfiguration) {
	return func(w *admissionregistrationv1.ValidatingWebhookConfiguration) {
		w.Webhooks[0].FailurePolicy, w.Webhooks[0].TimeoutSeconds = ptr.To(admissionregistrationv1.Ignore), &seconds
	}
}

func labelled(key, value string) func(*admissionregistrationv1.ValidatingWebhookConfiguration) {
	return func(w *admissionregistrationv1.ValidatingWebhookConfiguration) { w.Labels[key] = value }
}

func namespaces(key string, operator metav1.LabelSelectorOperator, values ...string) func(*admissionregistrationv1.ValidatingWebhookConfiguration) {
	return func(w *admissionregistrationv1.ValidatingWebhookConfiguration) {
		w.Webhooks[0].NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
	}
}

func objects(key, value string) func(*admissionregistrationv1.ValidatingWebhookConfiguration) {
	return func(w *admissionregistrationv1.ValidatingWebhookConfiguration) {
		w.Webhooks[0].ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
}

func validating(configurations ...admissionregistrationv1.ValidatingWebhookConfiguration) conditions.Finding {
	var webhooks Webhooks
	webhooks.AddValidating(configurations)
	return webhooks.Finding()
}

func TestWebhooks(t *testing.T) {
	for name, tc := range map[string]struct {
		webhook  admissionregistrationv1.ValidatingWebhookConfiguration
		problems bool
	}{
		"API-28 one for pods that fails closed":        {hook("", "pods"), true},
		"one that fails open soon enough":              {hook("", "pods", open(15)), false},
		"one that fails open too late":                 {hook("", "pods", open(16)), true},
		"one for nodes":                                {hook("", "nodes"), true},
		"one for all resources":                        {hook("*", "*"), true},
		"one for all subresources":                     {hook("", "nodes/*"), true},
		"one for another subresource":                  {hook("", "pods/exec"), false},
		"one for resources of users":                   {hook("example.org", "widgets"), false},
		"one for ordinary resources elsewhere":         {hook("", "persistentvolumeclaims"), false},
		"one that spares kube-system":                  {hook("", "pods", namespaces("kubernetes.io/metadata.name", metav1.LabelSelectorOpNotIn, "kube-system")), false},
		"one that spares kube-system by its purpose":   {hook("", "pods", namespaces("gardener.cloud/purpose", metav1.LabelSelectorOpNotIn, "kube-system")), false},
		"one that spares another namespace":            {hook("", "pods", namespaces("kubernetes.io/metadata.name", metav1.LabelSelectorOpNotIn, "web")), true},
		"one that selects other pods":                  {hook("", "pods", objects("app", "web")), false},
		"one that selects pods of Gardener":            {hook("", "pods", objects("origin", "gardener")), true},
		"one for leases that answers too late":         {hook("coordination.k8s.io", "leases", open(4)), true},
		"one for leases that gives up in time":         {hook("coordination.k8s.io", "leases", open(3)), false},
		"one for namespaces":                           {hook("", "namespaces"), true},
		"one for namespaces that spares kube-system":   {hook("", "namespaces", namespaces("kubernetes.io/metadata.name", metav1.LabelSelectorOpNotIn, "kube-system")), false},
		"a selector of namespaces does not help nodes": {hook("", "nodes", namespaces("kubernetes.io/metadata.name", metav1.LabelSelectorOpIn, "web")), true},
		"one whose owner has excluded it":              {hook("", "pods", labelled("remediation.webhook.shoot.gardener.cloud/exclude", "true")), false},
		"one that Gardener manages":                    {hook("", "pods", labelled("resources.gardener.cloud/managed-by", "gardener")), false},
		"one for objects with a namespace spares the rest": {hook("", "nodes", func(w *admissionregistrationv1.ValidatingWebhookConfiguration) {
			w.Webhooks[0].Rules[0].Scope = ptr.To(admissionregistrationv1.NamespacedScope)
		}), false},
	} {
		t.Run(name, func(t *testing.T) {
			got := validating(tc.webhook)
			if problems := got.Status == gardencorev1beta1.ConditionFalse; problems != tc.problems {
				t.Errorf("finding is %+v", got)
			}
			w := tc.webhook.Webhooks[0]
			mutating := admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: tc.webhook.ObjectMeta, Webhooks: []admissionregistrationv1.MutatingWebhook{{
				Name: w.Name, FailurePolicy: w.FailurePolicy, TimeoutSeconds: w.TimeoutSeconds, Rules: w.Rules, NamespaceSelector: w.NamespaceSelector, ObjectSelector: w.ObjectSelector,
			}}}
			var other Webhooks
			other.AddMutating([]admissionregistrationv1.MutatingWebhookConfiguration{mutating})
			if same := other.Finding(); same.Status != got.Status {
				t.Errorf("finding of a mutating webhook is %+v", same)
			}
		})
	}
	t.Run("a message names the first few", func(t *testing.T) {
		var many []admissionregistrationv1.ValidatingWebhookConfiguration
		for range 20 {
			many = append(many, hook("", "pods"))
		}
		if got := validating(many...); !strings.HasSuffix(got.Message, "and 15 more") || len(got.Codes) != 1 {
			t.Errorf("finding is %+v", got)
		}
	})
}

func TestDefinitions(t *testing.T) {
	definition := func(strategy apiextensionsv1.ConversionStrategyType, versions ...string) apiextensionsv1.CustomResourceDefinition {
		return apiextensionsv1.CustomResourceDefinition{
			ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.org"},
			Spec:       apiextensionsv1.CustomResourceDefinitionSpec{Conversion: &apiextensionsv1.CustomResourceConversion{Strategy: strategy}},
			Status:     apiextensionsv1.CustomResourceDefinitionStatus{StoredVersions: versions},
		}
	}
	for name, tc := range map[string]struct {
		definition apiextensionsv1.CustomResourceDefinition
		want       gardencorev1beta1.ConditionStatus
	}{
		"API-28 two stored versions need their webhook": {definition("Webhook", "v1", "v2"), "False"},
		"one does not":                   {definition("Webhook", "v2"), "True"},
		"nor do two without a webhook":   {definition("None", "v1", "v2"), "True"},
		"nor does one without any of it": {apiextensionsv1.CustomResourceDefinition{}, "True"},
	} {
		t.Run(name, func(t *testing.T) {
			var definitions Definitions
			definitions.Add([]apiextensionsv1.CustomResourceDefinition{tc.definition})
			if got := definitions.Finding(); got.Status != tc.want {
				t.Errorf("finding is %+v", got)
			}
		})
	}
}

func TestAuthorities(t *testing.T) {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	authority := func(name string, left time.Duration) corev1.Secret {
		return corev1.Secret{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"name": name, "valid-until-time": fmt.Sprint(now.Add(left).Unix())}}}
	}
	for name, tc := range map[string]struct {
		secret corev1.Secret
		want   gardencorev1beta1.ConditionStatus
	}{
		"API-28 an authority that ends within a year": {authority("ca-client", 364*24*time.Hour), "False"},
		"the authority of the cluster, too":           {authority("ca", time.Hour), "False"},
		"one that serves longer":                      {authority("ca", 366*24*time.Hour), "True"},
		"a certificate is renewed by itself":          {authority("kube-apiserver", time.Hour), "True"},
		"a bundle has no end":                         {corev1.Secret{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"name": "ca-bundle"}}}, "True"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Authorities([]corev1.Secret{tc.secret}, now); got.Status != tc.want {
				t.Errorf("finding is %+v", got)
			}
		})
	}
}
