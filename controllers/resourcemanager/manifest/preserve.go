package manifest

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Scaled says which fields of a workload belong to an autoscaler.
type Scaled struct {
	Replicas  bool
	Resources bool // of containers
}

// Preserve copies the fields that an autoscaler owns from the live object to desired: the replicas with the annotation
// preserve-replicas, the resources of containers (matched by name) with preserve-resources, and the fields in scaled.
// The annotations count on either of the two objects. Both must be of the same kind.
func Preserve(desired, live *unstructured.Unstructured, scaled Scaled) {
	if scaled.Replicas || flagOnEither(desired, live, resourcesv1alpha1.PreserveReplicas) {
		preserveReplicas(desired, live)
	}
	if scaled.Resources || flagOnEither(desired, live, resourcesv1alpha1.PreserveResources) {
		for _, path := range templatePaths(desired) {
			preserveResources(desired, live, append(slices.Clone(path), "spec", "containers"))
			preserveResources(desired, live, append(slices.Clone(path), "spec", "initContainers"))
		}
	}
}

// Scalable reports whether autoscalers can change objects of the kind.
func Scalable(object *unstructured.Unstructured) bool { return len(templatePaths(object)) > 0 }

func flagOnEither(a, b *unstructured.Unstructured, key string) bool {
	return Flag(a.GetAnnotations(), key) || Flag(b.GetAnnotations(), key)
}

func preserveReplicas(desired, live *unstructured.Unstructured) {
	switch desired.GetKind() {
	case "Deployment", "StatefulSet", "ReplicaSet", "ReplicationController":
	default:
		return
	}
	replicas, found, err := unstructured.NestedInt64(live.Object, "spec", "replicas")
	if err != nil || !found {
		return
	}
	_ = unstructured.SetNestedField(desired.Object, replicas, "spec", "replicas") // spec is an object in both
}

func preserveResources(desired, live *unstructured.Unstructured, path []string) {
	wanted, found, err := unstructured.NestedSlice(desired.Object, path...)
	if err != nil || !found {
		return
	}
	current, found, err := unstructured.NestedSlice(live.Object, path...)
	if err != nil || !found {
		return
	}
	byName := map[any]any{}
	for _, container := range current {
		if c, ok := container.(map[string]any); ok {
			byName[c["name"]] = c["resources"]
		}
	}
	for _, container := range wanted {
		c, ok := container.(map[string]any)
		if !ok {
			continue
		}
		if resources := byName[c["name"]]; resources != nil {
			c["resources"] = resources
		}
	}
	_ = unstructured.SetNestedSlice(desired.Object, wanted, path...)
}

// Satisfied reports whether live already contains everything that desired contains. Fields that only live has
// (defaults, status, other writers' fields) do not count. Lists must have equal length and be satisfied item by item.
func Satisfied(desired, live any) bool {
	switch want := desired.(type) {
	case map[string]any:
		have, ok := live.(map[string]any)
		if !ok {
			return len(want) == 0 && live == nil
		}
		for key, value := range want {
			if !Satisfied(value, have[key]) {
				return false
			}
		}
		return true
	case []any:
		have, ok := live.([]any)
		if !ok {
			return len(want) == 0 && live == nil
		}
		if len(have) != len(want) {
			return false
		}
		for i := range want {
			if !Satisfied(want[i], have[i]) {
				return false
			}
		}
		return true
	default:
		return desired == live
	}
}
