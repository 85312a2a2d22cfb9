package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Flag reports whether the annotation is set to a true value (1, t, T, true, TRUE, True).
func Flag(annotations map[string]string, key string) bool {
	value, err := strconv.ParseBool(annotations[key])
	return err == nil && value
}

// InMode reports whether the annotation "mode" has the value.
func InMode(annotations map[string]string, mode string) bool {
	return annotations[resourcesv1alpha1.Mode] == mode
}

// Origin names the ManagedResource of an object: "<namespace>/<name>", with a cluster identity
// "<identity>:<namespace>/<name>".
func Origin(clusterID, namespace, name string) string {
	if clusterID == "" {
		return namespace + "/" + name
	}
	return clusterID + ":" + namespace + "/" + name
}

// ParseOrigin is the reverse of Origin; origins of other clusters are refused.
func ParseOrigin(clusterID, origin string) (key types.NamespacedName, ok bool) {
	if clusterID != "" {
		if origin, ok = strings.CutPrefix(origin, clusterID+":"); !ok {
			return key, false
		}
	}
	namespace, name, found := strings.Cut(origin, "/")
	if !found || strings.ContainsAny(namespace, ":") || strings.Contains(name, "/") {
		return key, false
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, true
}

// Mark adds the origin annotation, the managed-by label and the labels to inject. It adds the latter also to pod
// templates, so that Deployment, ReplicaSets and Pods all carry them.
func Mark(object *unstructured.Unstructured, origin, managedBy string, inject map[string]string) error {
	object.SetAnnotations(labels.Merge(object.GetAnnotations(), map[string]string{resourcesv1alpha1.OriginAnnotation: origin}))
	object.SetLabels(labels.Merge(labels.Merge(object.GetLabels(), inject), map[string]string{resourcesv1alpha1.ManagedBy: managedBy}))
	if len(inject) == 0 {
		return nil
	}
	for _, path := range templatePaths(object) {
		fields := append(path, "metadata", "labels")
		found, _, err := unstructured.NestedStringMap(object.Object, fields...)
		if err != nil {
			return fmt.Errorf("read labels at %s: %w", strings.Join(fields, "."), err)
		}
		if err := unstructured.SetNestedStringMap(object.Object, labels.Merge(found, inject), fields...); err != nil {
			return fmt.Errorf("inject labels at %s: %w", strings.Join(fields, "."), err)
		}
	}
	return nil
}

// templatePaths lists the fields of the object that hold templates of pods (and of the jobs around them).
func templatePaths(object *unstructured.Unstructured) [][]string {
	switch object.GetKind() {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job":
		return [][]string{{"spec", "template"}}
	case "CronJob":
		return [][]string{{"spec", "jobTemplate"}, {"spec", "jobTemplate", "spec", "template"}}
	default:
		return nil
	}
}
