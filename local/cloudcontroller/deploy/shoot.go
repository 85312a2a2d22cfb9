package deploy

import (
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// rightsName is that of the rights in the shoot.
const rightsName = "extensions.gardener.cloud:provider-local:cloud-controller-manager"

// ShootObjects builds the rights of the component in the shoot.
func ShootObjects() []client.Object {
	version := rbacv1.SchemeGroupVersion.String()
	meta, inSystem := metav1.ObjectMeta{Name: rightsName}, metav1.ObjectMeta{Name: rightsName, Namespace: metav1.NamespaceSystem}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceSystem, Name: name}}
	return []client.Object{
		&rbacv1.ClusterRole{TypeMeta: kind(version, "ClusterRole"), ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list", "watch", "delete"}},
			{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{""}, Resources: []string{"services/status"}, Verbs: []string{"patch"}},
			{APIGroups: []string{""}, Resources: []string{"persistentvolumeclaims"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{""}, Resources: []string{"persistentvolumes"}, Verbs: []string{"get", "list", "watch", "create", "delete"}},
			{APIGroups: []string{"storage.k8s.io"}, Resources: []string{"storageclasses"}, Verbs: []string{"get"}},
			{APIGroups: []string{"", "events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
		}},
		&rbacv1.ClusterRoleBinding{
			TypeMeta: kind(version, "ClusterRoleBinding"), ObjectMeta: meta, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: rightsName},
		},
		&rbacv1.Role{TypeMeta: kind(version, "Role"), ObjectMeta: inSystem, Rules: []rbacv1.PolicyRule{ // of the leader
			{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create"}},
			{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{name}, Verbs: []string{"get", "update"}},
		}},
		&rbacv1.RoleBinding{
			TypeMeta: kind(version, "RoleBinding"), ObjectMeta: inSystem, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: rightsName},
		},
	}
}
