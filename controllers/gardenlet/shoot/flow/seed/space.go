// Package seed writes to the namespace of a shoot in the seed.
package seed

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/availability"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// Owner is the field manager of objects that the gardenlet applies.
const Owner = client.FieldOwner("gardenlet")

// Space is the namespace of a shoot in the seed, as steps use it.
type Space struct {
	Name string
	// Image is the appliance image. The pods in the namespace use it.
	Image string
	// Client reads without a cache.
	Client     client.WithWatch
	Extensions Extensions
	// Availability says what the control plane must survive.
	Availability availability.Setting
}

// New returns the Space with the name. It signs the pods of objects that it writes, unless pods is nil.
func New(name, image string, c client.WithWatch, pods *podsignature.Signer, clock clock.PassiveClock) Space {
	applier := patch.Applier{Client: c, Owner: Owner, Pods: pods}
	return Space{Name: name, Image: image, Client: c, Extensions: Extensions{Objects: extension.Objects{Client: c, Applier: applier, Clock: clock}}}
}

// Apply writes an object and returns its new state. It spreads the pods of a Deployment with several replicas if the control plane must
// survive failures, and writes the budget that limits their disruption.
func (s Space) Apply(ctx context.Context, object client.Object) (*unstructured.Unstructured, error) {
	if deployment, ok := object.(*appsv1.Deployment); ok {
		if budget := s.Availability.Apply(deployment); budget != nil {
			if _, err := s.Extensions.Applier.Apply(ctx, budget); err != nil {
				return nil, err
			}
		}
	}
	return s.Extensions.Applier.Apply(ctx, object)
}

// ApplyAll writes objects in the given order.
func (s Space) ApplyAll(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		if _, err := s.Apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// Delete deletes objects in the seed; it is no error if an object is gone.
func (s Space) Delete(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		if err := s.Client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q: %w", object, client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}

// CloudProvider refers to the copy of the credentials of the infrastructure.
func (s Space) CloudProvider() corev1.SecretReference {
	return corev1.SecretReference{Name: constants.SecretNameCloudProvider, Namespace: s.Name}
}

// RestartPods deletes the pods that are labelled for it; their Deployments create new ones.
func (s Space) RestartPods(ctx context.Context) error {
	err := s.Client.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(s.Name), client.MatchingLabels{constants.LabelMaintenanceRestart: "true"})
	if err != nil {
		return fmt.Errorf("delete pods that maintenance restarts: %w", err)
	}
	return nil
}
