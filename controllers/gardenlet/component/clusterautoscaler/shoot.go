package clusterautoscaler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// ShootObjects builds the permissions of the autoscaler in the shoot and, for the expander priority, the priorities of
// the worker pools.
func ShootObjects(v Values) []client.Object {
	meta := metav1.ObjectMeta{Name: "system:cluster-autoscaler-shoot"}
	read := []string{"get", "list", "watch"}
	out := []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: append([]string{"patch", "update"}, read...)},
			{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: read},
			{APIGroups: []string{""}, Resources: []string{"pods/eviction"}, Verbs: []string{"create"}},
			{APIGroups: []string{"", "events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch", "update"}},
			{APIGroups: []string{"apps"}, Resources: []string{"daemonsets"}, Verbs: read},
			{APIGroups: []string{"policy"}, Resources: []string{"poddisruptionbudgets"}, Verbs: read},
		}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: User}},
		},
	}
	role := metav1.ObjectMeta{Name: "system:cluster-autoscaler-shoot", Namespace: metav1.NamespaceSystem}
	out = append(out,
		&rbacv1.Role{ObjectMeta: role, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{priorityConfigMap}, Verbs: []string{"get"}},
		}},
		&rbacv1.RoleBinding{
			ObjectMeta: role,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: User}},
		},
	)
	if ranks := priorities(v); ranks != "" {
		out = append(out, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: priorityConfigMap, Namespace: metav1.NamespaceSystem},
			Data:       map[string]string{"priorities": ranks},
		})
	}
	return out
}

const priorityConfigMap = "cluster-autoscaler-priority-expander"

// priorities lists patterns of MachineDeployments by their priority, if an expander needs them. Pools without a
// priority have 0.
func priorities(v Values) string {
	if v.Config == nil || !strings.Contains(string(ptr.Deref(v.Config.Expander, "")), string(gardencorev1beta1.ClusterAutoscalerExpanderPriority)) {
		return ""
	}
	byRank := map[int32][]extensionsv1alpha1.MachineDeployment{}
	for _, deployment := range v.MachineDeployments {
		rank := ptr.Deref(deployment.Priority, 0)
		byRank[rank] = append(byRank[rank], deployment)
	}
	var out strings.Builder
	for _, rank := range slices.Sorted(maps.Keys(byRank)) {
		fmt.Fprintf(&out, "%d:\n", rank)
		for _, deployment := range byRank[rank] {
			fmt.Fprintf(&out, "  - ^%s$\n", deployment.Name)
		}
	}
	return out.String()
}
