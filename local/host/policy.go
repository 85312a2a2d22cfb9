package host

import (
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/local/machine/container"
)

// policyName names the policy of orders in a seed, and its binding.
const policyName = "local-machine-orders"

// orderer is the service account of the machine controller of a shoot, the only one that orders machines of the shoot.
const orderer = "machine-controller-manager"

// policy lets nobody but the machine controller of a shoot write an order in the shoot's namespace. A Secret does not tell who
// wrote it, so the API server of the seed has to refuse it.
func policy() (*admissionregistrationv1.ValidatingAdmissionPolicy, *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
	meta := metav1.ObjectMeta{Name: policyName}
	kind := func(name string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: name}
	}
	isOrder := func(object string) string {
		return fmt.Sprintf("(has(%[1]s.type) && %[1]s.type == %[2]q || has(%[1]s.metadata.labels) && %[3]q in %[1]s.metadata.labels)", object, string(container.SecretType), container.Label)
	}
	return &admissionregistrationv1.ValidatingAdmissionPolicy{
			TypeMeta: kind("ValidatingAdmissionPolicy"), ObjectMeta: meta,
			Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
				FailurePolicy: ptr.To(admissionregistrationv1.Fail),
				MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
					RuleWithOperations: admissionregistrationv1.RuleWithOperations{
						Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
						Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"secrets"}},
					},
				}}},
				MatchConditions: []admissionregistrationv1.MatchCondition{
					{Name: "becomes-an-order", Expression: isOrder("object") + " && (oldObject == null || !" + isOrder("oldObject") + ")"},
				},
				Validations: []admissionregistrationv1.Validation{
					{Expression: fmt.Sprintf("request.namespace.startsWith(%q)", shootPrefix), Message: "machines are ordered in namespaces of shoots only"},
					{
						Expression: fmt.Sprintf("request.userInfo.username == 'system:serviceaccount:' + request.namespace + ':%s'", orderer),
						Message:    "only the machine-controller-manager of a shoot orders its machines",
					},
				},
			},
		}, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
			TypeMeta: kind("ValidatingAdmissionPolicyBinding"), ObjectMeta: meta,
			Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: policyName, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			},
		}
}

// keepPolicy writes the policy, also after somebody changed or deleted it.
func (r *Reconciler) keepPolicy(ctx context.Context) error {
	rules, binding := policy()
	for _, object := range []any{rules, binding} {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return fmt.Errorf("encode policy of orders: %w", err)
		}
		delete(content, "status")
		unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
		err = r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: content}), client.FieldOwner("local-machine-host"), client.ForceOwnership)
		if err != nil {
			return fmt.Errorf("write policy of orders: %w", err)
		}
	}
	return nil
}
