package remove

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Obsolete returns the objects that the status lists and the ManagedResource no longer describes.
func Obsolete(resource *resourcesv1alpha1.ManagedResource, desired []*unstructured.Unstructured) []resourcesv1alpha1.ObjectReference {
	wanted := map[string]bool{}
	for _, object := range desired {
		wanted[manifest.Identity(object)] = true
		for _, other := range equivalents(resource.Spec.Equivalences, object.GroupVersionKind().GroupKind()) {
			wanted[manifest.Key(other, object.GetNamespace(), object.GetName())] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(resource.Status.Resources), func(ref resourcesv1alpha1.ObjectReference) bool {
		return wanted[manifest.Referred(ref)]
	})
}

func equivalents(sets [][]metav1.GroupKind, kind schema.GroupKind) []schema.GroupKind {
	var result []schema.GroupKind
	for _, set := range sets {
		if slices.Contains(set, metav1.GroupKind(kind)) {
			for _, other := range set {
				result = append(result, schema.GroupKind(other))
			}
		}
	}
	return result
}
