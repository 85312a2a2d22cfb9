package seed

import (
	"context"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/crds"
)

// scaling is about the kinds by which the etcds of shoots are scaled.
type scaling struct {
	client client.Client
	crds   *crdInstaller
	etcds  bool // are scaled
}

// deploy installs the kinds. If etcds are not scaled, it removes the kind Hvpa with its objects, since nobody acts upon them.
func (s scaling) deploy(ctx context.Context) error {
	installed, err := s.crds.installed(ctx)
	if err != nil {
		return err
	}
	if !s.etcds {
		if installed[crds.Hvpas] == "" { // or it is somebody else's
			return nil
		}
		definition := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: crds.Hvpas}}
		if err := s.client.Delete(ctx, definition); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete definition %q: %w", crds.Hvpas, err)
		}
		return nil
	}
	hvpa, err := crds.Scaling()
	if err != nil {
		return err
	}
	autoscaler, err := crds.Autoscaling()
	if err != nil {
		return err
	}
	wanted := append(hvpa, autoscaler...)
	return s.crds.apply(ctx, slices.DeleteFunc(wanted, func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		sum, found := installed[crd.Name]
		return found && sum == "" // by whoever has installed an autoscaler in the seed
	}), false)
}
