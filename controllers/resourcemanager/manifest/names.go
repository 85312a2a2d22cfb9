package manifest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Identity is the key of an object. It has no version: two versions of a kind represent the same object.
func Identity(object *unstructured.Unstructured) string {
	return Key(object.GroupVersionKind().GroupKind(), object.GetNamespace(), object.GetName())
}

// Referred is the key of the object that a reference names.
func Referred(ref resourcesv1alpha1.ObjectReference) string {
	return Key(KindOf(ref), ref.Namespace, ref.Name)
}

// Key identifies an object of a cluster.
func Key(kind schema.GroupKind, namespace, name string) string {
	return kind.String() + "/" + namespace + "/" + name
}

// KindOf is the kind of the object that a reference names.
func KindOf(ref resourcesv1alpha1.ObjectReference) schema.GroupKind {
	return schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind()
}

// Describe names an object in messages.
func Describe(object *unstructured.Unstructured) string {
	return fmt.Sprintf("%s %q", object.GetKind(), client.ObjectKeyFromObject(object))
}

// EmptyLike returns an object with the kind and the name of another, to read it into.
func EmptyLike(object *unstructured.Unstructured) *unstructured.Unstructured {
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(object.GroupVersionKind())
	empty.SetNamespace(object.GetNamespace())
	empty.SetName(object.GetName())
	return empty
}
