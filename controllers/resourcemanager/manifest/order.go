package manifest

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	secretKind = schema.GroupKind{Kind: "Secret"}
	// CRDKind is the kind whose objects must be established before objects of the kinds they define are applied.
	CRDKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
)

// phases lists kinds in the order in which they must exist. Other kinds come after these and before lastPhase.
var phases = [][]schema.GroupKind{
	{{Kind: "Namespace"}, CRDKind, {Group: "scheduling.k8s.io", Kind: "PriorityClass"}},
	{
		{Kind: "ServiceAccount"}, secretKind, {Kind: "ConfigMap"}, {Kind: "ResourceQuota"}, {Kind: "LimitRange"},
		{Group: "storage.k8s.io", Kind: "StorageClass"}, {Group: "storage.k8s.io", Kind: "CSIDriver"},
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}, {Group: "rbac.authorization.k8s.io", Kind: "Role"},
	},
	{
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}, {Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"},
		{Kind: "Service"}, {Kind: "PersistentVolume"}, {Kind: "PersistentVolumeClaim"},
	},
}

// lastPhase holds kinds that can block other writes. They come last, since their backends must exist first.
var lastPhase = []schema.GroupKind{
	{Group: "apiregistration.k8s.io", Kind: "APIService"},
	{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"},
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"},
}

// Phase is the position of the kind in the order of application, from 0. Objects of one phase do not depend on each
// other. Deletion uses the reverse order.
func Phase(kind schema.GroupKind) int {
	for i, phase := range phases {
		if slices.Contains(phase, kind) {
			return i
		}
	}
	if slices.Contains(lastPhase, kind) {
		return len(phases) + 1
	}
	return len(phases)
}

// ByPhase groups the objects by phase, first phase first; empty phases are left out. Within a phase the order of the
// input is kept.
func ByPhase(objects []*unstructured.Unstructured) [][]*unstructured.Unstructured {
	sorted := slices.Clone(objects)
	slices.SortStableFunc(sorted, func(a, b *unstructured.Unstructured) int {
		return cmp.Compare(phaseOf(a), phaseOf(b))
	})
	var grouped [][]*unstructured.Unstructured
	for i, object := range sorted {
		if i == 0 || phaseOf(sorted[i-1]) != phaseOf(object) {
			grouped = append(grouped, nil)
		}
		grouped[len(grouped)-1] = append(grouped[len(grouped)-1], object)
	}
	return grouped
}

func phaseOf(object *unstructured.Unstructured) int {
	return Phase(object.GroupVersionKind().GroupKind())
}
