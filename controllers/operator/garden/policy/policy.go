// Package policy guards Gardens: there is one at most, and it is deleted only by somebody who confirms that. The API server of the
// runtime cluster enforces both by policies of its own, so Gardens are guarded also while no controller runs, and in clusters
// whose API server cannot call webhooks of this process.
package policy

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// Names of the policies and of their bindings.
const (
	single   = "operator-single-garden"
	deletion = "operator-garden-deletion"
)

// Objects returns the policies and their bindings. The kind Garden must exist before them.
func Objects() []client.Object {
	confirmation := constants.ConfirmationDeletion
	confirmed := policy(deletion, admissionregistrationv1.Delete, admissionregistrationv1.Validation{
		Expression: fmt.Sprintf("has(oldObject.metadata.annotations) && %[1]q in oldObject.metadata.annotations && oldObject.metadata.annotations[%[1]q] == 'true'", confirmation),
		Message:    fmt.Sprintf("the deletion of a Garden must be confirmed: annotate it with %s=true first", confirmation),
		Reason:     ptr.To(metav1.StatusReasonForbidden),
	})
	one := policy(single, admissionregistrationv1.Create, admissionregistrationv1.Validation{
		Expression:        "params == null || params.metadata.name == object.metadata.name", // a name that is taken is refused anyway
		Message:           "there is a Garden already, and a landscape has only one",
		MessageExpression: "'there is a Garden already, ' + params.metadata.name + ', and a landscape has only one'",
		Reason:            ptr.To(metav1.StatusReasonForbidden),
	})
	one.Spec.ParamKind = &admissionregistrationv1.ParamKind{APIVersion: operatorv1alpha1.SchemeGroupVersion.String(), Kind: "Garden"}
	others := binding(single)
	others.Spec.ParamRef = &admissionregistrationv1.ParamRef{Selector: &metav1.LabelSelector{}, ParameterNotFoundAction: ptr.To(admissionregistrationv1.AllowAction)}
	return []client.Object{confirmed, binding(deletion), one, others}
}

func policy(name string, operation admissionregistrationv1.OperationType, rule admissionregistrationv1.Validation) *admissionregistrationv1.ValidatingAdmissionPolicy {
	return &admissionregistrationv1.ValidatingAdmissionPolicy{
		TypeMeta: kind("ValidatingAdmissionPolicy"), ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: ptr.To(admissionregistrationv1.Fail),
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{operation},
					Rule: admissionregistrationv1.Rule{
						APIGroups: []string{operatorv1alpha1.SchemeGroupVersion.Group}, APIVersions: []string{"*"}, Resources: []string{"gardens"},
					},
				},
			}}},
			Validations: []admissionregistrationv1.Validation{rule},
		},
	}
}

func binding(name string) *admissionregistrationv1.ValidatingAdmissionPolicyBinding {
	return &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		TypeMeta: kind("ValidatingAdmissionPolicyBinding"), ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}
}

func kind(name string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: name}
}
