package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/examine"
	"github.com/gardener-up/gardener-up/appliance/bootstrap/objects"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// aRule refuses objects of a resource unless the expression is true, as the policies of some clusters do.
func aRule(t *testing.T, resource, expression, message string) {
	t.Helper()
	create(t, &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "test-rule"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{resource}},
				},
			}}},
			Validations: []admissionregistrationv1.Validation{{Expression: expression, Message: message}},
		},
	})
	create(t, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "test-rule"},
		Spec:       admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: "test-rule", ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}},
	})
}

// until waits until the check finds that.
func until(t *testing.T, state doctor.State, text string) {
	t.Helper()
	env.Until(t, "the check of pod security says "+text, func(ctx context.Context) error {
		findings, _ := examine.All(ctx, inputs())
		for _, found := range findings {
			if found.Check == "pod security" && found.State == state && strings.Contains(found.Message, text) && (found.Cure != "") == (state != doctor.OK) {
				return nil
			}
		}
		return fmt.Errorf("findings %+v", findings)
	})
}

// TestPodSecurity makes the namespace of the garden and removes it, so that other tests find none.
func TestPodSecurity(t *testing.T) {
	c := runtime.Client
	aNode(t, "good", corev1.ConditionTrue)
	t.Run("APP-25 a cluster that lets the namespace take all pods", func(t *testing.T) { until(t, doctor.OK, "may take all pods") })
	t.Run("APP-25 a rule that refuses the namespace is named, and nothing is made", func(t *testing.T) {
		aRule(t, "namespaces", "!has(object.metadata.labels) || object.metadata.labels[?'pod-security.kubernetes.io/enforce'].orValue('') != 'privileged'", "no privileged namespaces here")
		until(t, doctor.Problem, "no privileged namespaces here")
		if err := c.Get(t.Context(), client.ObjectKey{Name: "garden"}, &corev1.Namespace{}); client.IgnoreNotFound(err) != nil || err == nil {
			t.Errorf("the namespace is there: %v", err)
		}
	})
	t.Run("APP-25 a namespace in which somebody enforces more is named", func(t *testing.T) {
		until(t, doctor.OK, "may take all pods") // the rule of the test before is forgotten after a moment
		namespace := objects.Namespace()
		t.Cleanup(func() {
			env.Until(t, "the namespace is deleted", func(ctx context.Context) error { return finalize(ctx, c) })
		})
		create(t, namespace)
		until(t, doctor.OK, "takes all pods")
		namespace.SetResourceVersion("")
		namespace.GetLabels()["pod-security.kubernetes.io/enforce"] = "restricted"
		if err := c.Update(t.Context(), namespace); err != nil {
			t.Fatal(err)
		}
		until(t, doctor.Warning, `enforces "restricted" at present`)
		namespace.GetLabels()["pod-security.kubernetes.io/enforce"] = "privileged"
		if err := c.Update(t.Context(), namespace); err != nil {
			t.Fatal(err)
		}
		aRule(t, "pods", "object.metadata.namespace != 'garden'", "no pods of gardens here")
		until(t, doctor.Problem, "no pods of gardens here")
	})
}
