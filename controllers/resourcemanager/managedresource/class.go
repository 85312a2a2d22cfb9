package managedresource

import (
	"slices"
	"strings"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// DefaultClass is the class of ManagedResources without a class.
const DefaultClass = "resources"

// Responsible reports whether a resource manager of the class handles a ManagedResource with the given spec.class.
func Responsible(class string, wanted *string) bool {
	if wanted == nil || *wanted == "" {
		return class == DefaultClass
	}
	return class == *wanted
}

func (r *Reconciler) responsible(resource *resourcesv1alpha1.ManagedResource) bool {
	return Responsible(r.Class, resource.Spec.Class) && (len(r.Namespaces) == 0 || slices.Contains(r.Namespaces, resource.Namespace))
}

// IsFinalizer reports whether a resource manager of any class sets the finalizer.
func IsFinalizer(name string) bool {
	return name == resourcesv1alpha1.FinalizerName || strings.HasPrefix(name, resourcesv1alpha1.FinalizerName+"-")
}

// Finalizer is the finalizer that a resource manager of the class sets.
func Finalizer(class string) string {
	if class == DefaultClass {
		return resourcesv1alpha1.FinalizerName
	}
	return resourcesv1alpha1.FinalizerName + "-" + class
}
