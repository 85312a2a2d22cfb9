// Package operation handles the annotation by which users ask for work on an object.
package operation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Of returns what is asked for, or "".
func Of(object metav1.Object) string { return object.GetAnnotations()[constants.GardenerOperation] }

// Set replaces what is asked for; "" removes the annotation.
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

// Take removes the annotation if it asks for exactly this, and tells whether it did.
func Take(object metav1.Object, value string) bool {
	if Of(object) != value {
		return false
	}
	Set(object, "")
	return true
}

// TakeReconcile is the PrepareUpdate of kinds that only know "reconcile": the annotation becomes a new generation.
func TakeReconcile(object metav1.Object) bool {
	return Take(object, constants.GardenerOperationReconcile)
}

// Became tells whether an annotation has newly got the value "true".
func Became(object, old metav1.Object, annotation string) bool {
	return object.GetAnnotations()[annotation] == "true" && old.GetAnnotations()[annotation] != "true"
}
