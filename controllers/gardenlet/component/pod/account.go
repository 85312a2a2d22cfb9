package pod

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Account builds a ServiceAccount and its permissions in its own namespace. All objects have the name of the account.
func Account(meta metav1.ObjectMeta, rules []rbacv1.PolicyRule) []client.Object {
	return append([]client.Object{&corev1.ServiceAccount{ObjectMeta: meta}}, Rights(meta, rules)...)
}

// Rights builds the permissions of a ServiceAccount in its own namespace. All objects have the name of the account.
func Rights(meta metav1.ObjectMeta, rules []rbacv1.PolicyRule) []client.Object {
	return []client.Object{
		&rbacv1.Role{ObjectMeta: meta, Rules: rules},
		&rbacv1.RoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: meta.Name, Namespace: meta.Namespace}},
		},
	}
}
