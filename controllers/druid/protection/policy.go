// Package protection keeps a policy in the cluster of a druid: nobody but the druid changes or deletes the objects that it makes of an Etcd. The API server
// decides that by itself, so the policy also holds while no druid runs. It prevents mistakes: whoever may annotate the Etcd can switch it off. It exists if the
// configuration of a druid asks for it.
package protection

import (
	"fmt"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/druid/share"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

const (
	// Annotation of an Etcd with any value lets everybody with the right change its objects.
	Annotation = "druid.gardener.cloud/disable-etcd-component-protection"
	// name of the policy and of its binding, before what tells two druids of a cluster apart.
	name = "etcd-druid-component-protection"
)

// names of the policy by the share of its druids.
var names = map[share.Share]string{share.All: name, share.Landscape: name + "-landscape", share.Operator: name + "-operator"}

// policy allows users, whom the druids are, to change the objects of Etcds of their share.
//
// It does not fail closed: an error would also hold back the renewals of members and the deletion of a namespace, for example while the API server does not know
// the kind Etcd yet, or any longer.
func policy(of share.Share, users []string) (*admissionregistrationv1.ValidatingAdmissionPolicy, *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
	meta := metav1.ObjectMeta{Name: names[of]}
	kind := func(name string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: name}
	}
	return &admissionregistrationv1.ValidatingAdmissionPolicy{
			TypeMeta: kind("ValidatingAdmissionPolicy"), ObjectMeta: meta,
			Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
				FailurePolicy: ptr.To(admissionregistrationv1.Ignore),
				ParamKind:     &admissionregistrationv1.ParamKind{APIVersion: druidv1alpha1.SchemeGroupVersion.String(), Kind: "Etcd"},
				MatchConstraints: &admissionregistrationv1.MatchResources{
					ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{
						rule("", "configmaps", "services", "serviceaccounts"), rule(appsv1.GroupName, "statefulsets", "statefulsets/scale"),
						rule(coordinationv1.GroupName, "leases"), rule(policyv1.GroupName, "poddisruptionbudgets"), rule(rbacv1.GroupName, "roles", "rolebindings"),
					},
				},
				MatchConditions: conditions(of, users),
				Validations: []admissionregistrationv1.Validation{{
					Expression: strings.Join([]string{
						// The scale of a StatefulSet has no owner, but the name of the StatefulSet, which is that of the Etcd.
						scaling + " ? request.name != params.metadata.name : !(" + owned + ")",
						fmt.Sprintf("has(params.metadata.annotations) && %q in params.metadata.annotations", Annotation),
						// Members renew their own Leases and those of their snapshots.
						"request.resource.resource == 'leases' && request.operation == 'UPDATE' && request.userInfo.username == 'system:serviceaccount:' + request.namespace + ':' + params.metadata.name",
					}, " || "),
					MessageExpression: fmt.Sprintf("'etcd-druid keeps the objects of Etcd ' + params.metadata.name + ': annotate the Etcd with %s to change them yourself'", Annotation),
				}},
			},
		}, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
			TypeMeta: kind("ValidatingAdmissionPolicyBinding"), ObjectMeta: meta,
			Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: meta.Name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
				// All Etcds in the namespace of the object.
				ParamRef: &admissionregistrationv1.ParamRef{Selector: &metav1.LabelSelector{}, ParameterNotFoundAction: ptr.To(admissionregistrationv1.AllowAction)},
			},
		}
}

// Objects are the policy and its binding by their names, for their removal whoever else has joined it.
func Objects(of share.Share) []client.Object {
	rules, binding := policy(of, nil)
	return []client.Object{rules, binding}
}

// scaling means that only the number of pods is changed. Other requests have no subResource, and reading it is an error, which allows all.
const scaling = "has(request.subResource) && request.subResource == 'scale'"

// owned means that the object as it is belongs to the Etcd.
const owned = "has(oldObject.metadata.ownerReferences) && oldObject.metadata.ownerReferences.exists(o, o.kind == 'Etcd' && o.uid == params.metadata.uid)"

func rule(group string, resources ...string) admissionregistrationv1.NamedRuleWithOperations {
	return admissionregistrationv1.NamedRuleWithOperations{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update, admissionregistrationv1.Delete},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: resources},
	}}
}

// conditions leave out the druids and what Kubernetes itself does: it collects the objects of Etcds and namespaces that are gone.
func conditions(of share.Share, users []string) []admissionregistrationv1.MatchCondition {
	quoted := make([]string, 0, len(users))
	for _, user := range users {
		quoted = append(quoted, fmt.Sprintf("%q", user))
	}
	out := []admissionregistrationv1.MatchCondition{
		{Name: "not-a-druid", Expression: "!(request.userInfo.username in [" + strings.Join(quoted, ", ") + "])"},
		{Name: "not-kubernetes", Expression: "!(request.userInfo.username in ['system:kube-controller-manager', 'system:apiserver']) && !('system:serviceaccounts:kube-system' in request.userInfo.groups)"},
	}
	switch of {
	case share.Landscape:
		out = append(out, admissionregistrationv1.MatchCondition{Name: "not-a-garden", Expression: fmt.Sprintf("request.namespace != %q", constants.GardenNamespace)})
	case share.Operator: // who else has Etcds may have another druid
		out = append(out, admissionregistrationv1.MatchCondition{Name: "a-garden", Expression: fmt.Sprintf("request.namespace == %q", constants.GardenNamespace)})
	}
	return out
}
