package oidcwebhook

import (
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
)

// ClusterObjects builds the objects in the cluster whose API server calls the webhook, a shoot or the garden: the kind, the
// permissions of the webhook, and that of kube-apiserver to call it. All have their apiVersion and kind. An error means that the binary was built from broken files.
func ClusterObjects() ([]client.Object, error) {
	definitions, err := crds.OpenIDConnect()
	if err != nil {
		return nil, err
	}
	var out []client.Object
	for _, definition := range definitions {
		out = append(out, definition)
	}
	webhook, caller := user(User), user(Caller)
	return append(out,
		role(User,
			rbacv1.PolicyRule{APIGroups: []string{oidcv1alpha1.GroupName}, Resources: []string{"openidconnects"}, Verbs: []string{"get", "list", "watch"}},
			rbacv1.PolicyRule{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
		),
		bind(User, User, webhook),
		bind(User+":auth-delegator", "system:auth-delegator", webhook),
		&rbacv1.RoleBinding{
			TypeMeta:   kind("RoleBinding"),
			ObjectMeta: metav1.ObjectMeta{Name: Name + "-auth-reader", Namespace: metav1.NamespaceSystem}, Subjects: []rbacv1.Subject{webhook},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "extension-apiserver-authentication-reader"},
		},
		role(Caller, rbacv1.PolicyRule{NonResourceURLs: []string{path}, Verbs: []string{"post"}}),
		bind(Caller, Caller, caller),
	), nil
}

func kind(name string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: name}
}

func user(name string) rbacv1.Subject {
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}
}

func role(name string, rules ...rbacv1.PolicyRule) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{TypeMeta: kind("ClusterRole"), ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}
}

func bind(name, role string, subject rbacv1.Subject) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		TypeMeta: kind("ClusterRoleBinding"), ObjectMeta: metav1.ObjectMeta{Name: name}, Subjects: []rbacv1.Subject{subject},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
	}
}
