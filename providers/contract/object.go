package contract

import (
	"fmt"
	"strings"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// FinalizerPrefix is followed by the kind in lower case.
const FinalizerPrefix = "extensions.gardener.cloud/"

// Kind is the kind of an extension object, also of one without type meta, for instance "Infrastructure".
func Kind(obj extensionsv1alpha1.Object) string {
	name := fmt.Sprintf("%T", obj)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Finalizer is set by the responsible controller before it makes anything, and removed after everything is gone.
func Finalizer(obj extensionsv1alpha1.Object) string {
	if _, ok := obj.(*extensionsv1alpha1.OperatingSystemConfig); ok {
		return FinalizerPrefix + "operatingsystemconfigs" // the only plural name
	}
	return FinalizerPrefix + strings.ToLower(Kind(obj))
}
