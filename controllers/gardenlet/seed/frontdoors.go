package seed

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// deployFrontDoors runs the front doors in the seed and waits until they accept connections. It removes the front doors
// of handlers that the configuration no longer contains.
func (r *Reconciler) deployFrontDoors(ctx context.Context) error {
	if err := r.destroyStaleFrontDoors(ctx); err != nil { // first: a new handler may use the ports of an old one
		return err
	}
	var lacks []error
	for _, gateway := range r.FrontDoors {
		if err := r.applier().ApplyAll(ctx, gateway.Objects()...); err != nil {
			return err
		}
		lacks = append(lacks, gateway.Ready(ctx, r.SeedClient))
	}
	return errors.Join(lacks...)
}

func (r *Reconciler) destroyStaleFrontDoors(ctx context.Context) error {
	namespaces := &corev1.NamespaceList{}
	if err := r.SeedClient.List(ctx, namespaces, client.HasLabels{constants.LabelExposureClassHandlerName}); err != nil {
		return fmt.Errorf("list namespaces of exposure class handlers: %w", err)
	}
	for i := range namespaces.Items {
		for _, object := range frontdoor.Stale(&namespaces.Items[i], r.FrontDoors) {
			if err := r.SeedClient.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("delete %s of a front door: %w", object.GetName(), err)
			}
		}
	}
	return nil
}

func (r *Reconciler) destroyFrontDoors(ctx context.Context) error {
	for _, gateway := range r.FrontDoors {
		if err := r.destroy(ctx, gateway.Objects()); err != nil {
			return err
		}
	}
	return nil
}
