package health

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// operationAnnotation is set on extension objects until a controller has started the requested operation.
const operationAnnotation = "gardener.cloud/operation"

// extensionGroup has one rule for all its kinds except Cluster, which has no status.
const extensionGroup = "extensions.gardener.cloud"

func isExtension(kind schema.GroupKind) bool {
	return kind.Group == extensionGroup && kind.Kind != "Cluster"
}

// Extension is healthy when its controller has finished with its current generation.
func Extension(object *unstructured.Unstructured) error {
	observed, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if err := current(object.GetGeneration(), observed); err != nil {
		return err
	}
	if operation, waits := object.GetAnnotations()[operationAnnotation]; waits {
		return fmt.Errorf("operation %q has not begun", operation)
	}
	if description, failed, _ := unstructured.NestedString(object.Object, "status", "lastError", "description"); failed {
		return fmt.Errorf("last error: %s", description)
	}
	state, _, _ := unstructured.NestedString(object.Object, "status", "lastOperation", "state")
	if state != "Succeeded" {
		return fmt.Errorf("state of the last operation is %q", state)
	}
	return nil
}

// Etcd is healthy when its druid reports that the current generation is ready.
func Etcd(object *unstructured.Unstructured) error {
	observed, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if err := current(object.GetGeneration(), observed); err != nil {
		return err
	}
	if operation, waits := object.GetAnnotations()[operationAnnotation]; waits {
		return fmt.Errorf("operation %q has not begun", operation)
	}
	if failures, _, _ := unstructured.NestedSlice(object.Object, "status", "lastErrors"); len(failures) > 0 {
		failure, _ := failures[0].(map[string]any)
		return fmt.Errorf("last error: %v", failure["description"])
	}
	if ready, _, _ := unstructured.NestedBool(object.Object, "status", "ready"); !ready {
		return fmt.Errorf("etcd is not ready")
	}
	return nil
}
