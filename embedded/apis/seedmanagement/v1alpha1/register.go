package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group of this package.
const GroupName = "seedmanagement.gardener.cloud"

// SchemeGroupVersion is the API group and version of this package.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1alpha1"}

var (
	// SchemeBuilder collects what adds this package to a scheme.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)
	// AddToScheme makes the kinds of this package known to a scheme; servers call RegisterDefaults, too.
	AddToScheme = SchemeBuilder.AddToScheme
)

// Kind returns the group and kind of a kind of this package.
func Kind(kind string) schema.GroupKind {
	return SchemeGroupVersion.WithKind(kind).GroupKind()
}

// Resource returns the group and resource of a plural name of this package.
func Resource(resource string) schema.GroupResource {
	return SchemeGroupVersion.WithResource(resource).GroupResource()
}

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion,
		&Gardenlet{},
		&GardenletList{},
		&ManagedSeed{},
		&ManagedSeedList{},
		&ManagedSeedSet{},
		&ManagedSeedSetList{},
		&SeedAutoscaler{},
		&SeedAutoscalerList{},
	)
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
