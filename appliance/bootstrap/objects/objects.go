// Package objects builds everything that a bootstrap writes to a runtime cluster: the definitions of kinds, the operator with its rights,
// and the Garden. It sends nothing. The same inputs give the same objects.
package objects

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
)

// Namespace holds the operator and all components of the Garden.
func Namespace() client.Object {
	namespace := &corev1.Namespace{TypeMeta: kind(corev1.SchemeGroupVersion.String(), "Namespace"), ObjectMeta: meta(constants.GardenNamespace)}
	namespace.Namespace = ""
	namespace.Labels[constants.GardenRole] = constants.GardenRoleGarden
	// As Gardener's operator labels it. Components need no privileges themselves, but their volumes may.
	namespace.Labels["pod-security.kubernetes.io/enforce"] = "privileged"
	return namespace
}

// Definitions returns the kinds that the operator and the components of the Garden use.
func Definitions() ([]client.Object, error) {
	var all []client.Object
	for _, load := range []func() ([]*apiextensionsv1.CustomResourceDefinition, error){crds.Operator, crds.Resources, crds.Druid, crds.Extensions} {
		some, err := load()
		if err != nil {
			return nil, err
		}
		for _, definition := range some {
			definition.TypeMeta = kind(apiextensionsv1.SchemeGroupVersion.String(), "CustomResourceDefinition")
			if definition.Labels == nil {
				definition.Labels = map[string]string{}
			}
			definition.Labels[LabelManagedBy] = ManagedBy
			all = append(all, definition)
		}
	}
	return all, nil
}

// All returns all objects in the order in which they are written.
func All(in Inputs) ([]client.Object, error) {
	definitions, err := Definitions()
	if err != nil {
		return nil, err
	}
	deployed, err := OperatorObjects(in)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]client.Object{Namespace()}, definitions, deployed, []client.Object{in.Garden.Object()}), nil
}

// Describe names an object for people.
func Describe(object client.Object) string {
	name := object.GetName()
	if object.GetNamespace() != "" {
		name = object.GetNamespace() + "/" + name
	}
	return fmt.Sprintf("%s %s", strings.ToLower(object.GetObjectKind().GroupVersionKind().Kind), name)
}

// Ours reports whether a bootstrap has written the object.
func Ours(object client.Object) bool { return object.GetLabels()[LabelManagedBy] == ManagedBy }
