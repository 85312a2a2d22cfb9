package etcd

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// Leases by which members report: one for each member, and two for the newest snapshots. Those stay empty without a store.
func fullLeaseName(etcd *druidv1alpha1.Etcd) string  { return etcd.Name + "-full-snap" }
func deltaLeaseName(etcd *druidv1alpha1.Etcd) string { return etcd.Name + "-delta-snap" }

func leaseNames(etcd *druidv1alpha1.Etcd) []string {
	names := []string{fullLeaseName(etcd), deltaLeaseName(etcd)}
	for i := range max(etcd.Spec.Replicas, 1) {
		names = append(names, memberName(etcd, i))
	}
	return names
}

func roleName(etcd *druidv1alpha1.Etcd) string { return "druid.gardener.cloud:etcd:" + etcd.Name }

// reportObjects are what members need to report: their Leases, and the right to change these and no others.
func reportObjects(etcd *druidv1alpha1.Etcd) []client.Object {
	role := meta(etcd, roleName(etcd))
	objects := []client.Object{
		&rbacv1.Role{ObjectMeta: role, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{coordinationv1.GroupName}, Resources: []string{"leases"}, ResourceNames: leaseNames(etcd), Verbs: []string{"patch"},
		}}},
		&rbacv1.RoleBinding{
			ObjectMeta: role,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: etcd.Name, Namespace: etcd.Namespace}},
		},
	}
	for _, name := range leaseNames(etcd) {
		objects = append(objects, &coordinationv1.Lease{ObjectMeta: meta(etcd, name)})
	}
	return objects
}

// disruptionBudget keeps a majority of several members. A single member may be evicted: otherwise its node could never be drained.
func disruptionBudget(etcd *druidv1alpha1.Etcd) *policyv1.PodDisruptionBudget {
	available := 0
	if etcd.Spec.Replicas > 1 {
		available = int(etcd.Spec.Replicas)/2 + 1
	}
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: meta(etcd, etcd.Name),
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: ptr.To(intstr.FromInt(available)), Selector: &metav1.LabelSelector{MatchLabels: selectorLabels(etcd)},
		},
	}
}

// dependents are all objects of an Etcd beside the StatefulSet and its claims, for its deletion.
func dependents(etcd *druidv1alpha1.Etcd) []client.Object {
	return append(reportObjects(etcd), bootstrap{}.configMap(etcd), disruptionBudget(etcd), clientService(etcd), peerService(etcd), serviceAccount(etcd))
}
