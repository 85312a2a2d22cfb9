// Package desired makes the objects that a ManagedResource describes from the content of its Secrets. It reads only which
// kinds the target serves.
package desired

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Decoder decodes the objects of one ManagedResource and marks them as managed.
type Decoder struct {
	Mapper         meta.RESTMapper   // of the target
	Origin         string            // value of the origin annotation
	ManagedByLabel string            // value of the managed-by label
	InjectLabels   map[string]string // spec.injectLabels
}

// Objects decodes all Secrets and marks the objects as managed. The error lists all mistakes.
func (d Decoder) Objects(secrets []corev1.Secret) ([]*unstructured.Unstructured, error) {
	var (
		objects []*unstructured.Unstructured
		errs    []error
		seen    = map[string]bool{}
	)
	for _, secret := range secrets {
		decoded, err := manifest.Decode(secret.Data)
		if err != nil {
			errs = append(errs, fmt.Errorf("secret %q: %w", secret.Name, err))
			continue
		}
		for _, object := range decoded {
			if err := d.prepare(object); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", manifest.Describe(object), err))
				continue
			}
			if id := manifest.Identity(object); !seen[id] { // the first of several duplicates counts
				seen[id] = true
				objects = append(objects, object)
			}
		}
	}
	return objects, errors.Join(errs...)
}

func (d Decoder) prepare(object *unstructured.Unstructured) error {
	mapping, err := d.Mapper.RESTMapping(object.GroupVersionKind().GroupKind(), object.GroupVersionKind().Version)
	switch {
	case err != nil && !meta.IsNoMatchError(err):
		return fmt.Errorf("look up kind: %w", err)
	case err != nil: // this ManagedResource may bring the kind itself; applying shows it
	case mapping.Scope.Name() == meta.RESTScopeNameRoot:
		object.SetNamespace("")
	case object.GetNamespace() == "":
		object.SetNamespace(corev1.NamespaceDefault)
	}
	if manifest.InMode(object.GetAnnotations(), resourcesv1alpha1.ModeIgnore) {
		return nil
	}
	return manifest.Mark(object, d.Origin, d.ManagedByLabel, d.InjectLabels)
}
