// Package project writes and deletes objects beside the Shoot in the garden, for users and for the servers of the
// garden.
package project

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Apply writes objects to the garden in the given order.
func (p Project) Apply(ctx context.Context, objects ...client.Object) error {
	return patch.Applier{Client: p.Client, Owner: seed.Owner}.ApplyAll(ctx, objects...)
}

// Artefact returns the metadata of an object beside the Shoot in the garden.
func (p Project) Artefact(suffix, role string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: p.Shoot.Name + "." + suffix, Namespace: p.Shoot.Namespace,
		Labels: map[string]string{constants.GardenRole: role, constants.LabelShootName: p.Shoot.Name},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: gardencorev1beta1.SchemeGroupVersion.String(), Kind: "Shoot", Name: p.Shoot.Name, UID: p.Shoot.UID,
			Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(false),
		}},
	}
}

func (p Project) delete(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		if err := p.Client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q in the garden: %w", object, client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}
