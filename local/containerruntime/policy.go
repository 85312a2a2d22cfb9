package containerruntime

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/local/api"
)

const (
	policyName = "provider-local-container-runtimes"
	// metal is the suffix of machine types that can run virtual machines.
	metal = ".metal"
)

// Admission returns the policies that refuse Shoots with runtimes that their machines cannot run. They are applied
// to the garden, where nothing of the provider needs to run.
func Admission() []client.Object {
	meta := metav1.ObjectMeta{Name: policyName}
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicy"},
		ObjectMeta: meta,
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: ptr.To(admissionregistrationv1.Fail),
			MatchConstraints: &admissionregistrationv1.MatchResources{
				MatchPolicy:       ptr.To(admissionregistrationv1.Equivalent),
				NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
					Rule: admissionregistrationv1.Rule{
						APIGroups: []string{gardencorev1beta1.GroupName}, APIVersions: []string{gardencorev1beta1.SchemeGroupVersion.Version}, Resources: []string{"shoots"},
						Scope: ptr.To(admissionregistrationv1.AllScopes),
					},
				}}},
			},
			MatchConditions: []admissionregistrationv1.MatchCondition{
				{Name: "ours", Expression: fmt.Sprintf("object.spec.provider.type == '%s'", api.Type)},
				{Name: "alive", Expression: "!has(object.metadata.deletionTimestamp)"},
			},
		},
	}
	all := definitions()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !all[name].nested {
			continue
		}
		policy.Spec.Validations = append(policy.Spec.Validations, admissionregistrationv1.Validation{
			Expression: strings.NewReplacer("TYPE", name, "METAL", metal).Replace(
				"!has(object.spec.provider.workers) || object.spec.provider.workers.all(w, w.machine.type.endsWith('METAL') || " +
					"!has(w.cri) || !has(w.cri.containerRuntimes) || !w.cri.containerRuntimes.exists(r, r.type == 'TYPE'))"),
			Message: fmt.Sprintf("container runtime %s runs virtual machines: it needs a machine type whose name ends with %s", name, metal),
			Reason:  ptr.To(metav1.StatusReasonInvalid),
		})
	}
	return []client.Object{policy, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: "ValidatingAdmissionPolicyBinding"},
		ObjectMeta: meta,
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policyName, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}}
}
