// Package operation handles the operation annotation, by which users request an operation on an object.
package operation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Of returns the requested operation, or "".
func Of(object metav1.Object) string { return object.GetAnnotations()[constants.GardenerOperation] }

// Set replaces the requested operation. "" removes the annotation.
func Set(object metav1.Object, value string) {
	annotations := object.GetAnnotations()
	if value == "" {
		delete(annotations, constants.GardenerOperation)
	} else {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[constants.GardenerOperation] = value
	}
	object.SetAnnotations(annotations)
}

// Take removes the annotation if it requests exactly this operation. It reports whether it did.
func Take(object metav1.Object, value string) bool {
	if Of(object) != value {
		return false
	}
	Set(object, "")
	return true
}

// TakeReconcile is the PrepareUpdate of kinds with the single operation "reconcile": it removes the annotation and raises
// the generation.
func TakeReconcile(object metav1.Object) bool {
	return Take(object, constants.GardenerOperationReconcile)
}

// Became reports whether an update sets an annotation to "true".
func Became(object, old metav1.Object, annotation string) bool {
	return object.GetAnnotations()[annotation] == "true" && old.GetAnnotations()[annotation] != "true"
}
