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

// frontDoors run as pods of a seed.
type frontDoors struct {
	cluster
	gateways []frontdoor.Gateway
}

// deploy runs the front doors in the seed and waits until they accept connections. It removes the front doors
// of handlers that the configuration no longer contains.
func (f frontDoors) deploy(ctx context.Context) error {
	if err := f.destroyStale(ctx); err != nil { // first: a new handler may use the ports of an old one
		return err
	}
	var lacks []error
	for _, gateway := range f.gateways {
		if err := f.applier().ApplyAll(ctx, gateway.Objects()...); err != nil {
			return err
		}
		lacks = append(lacks, gateway.Ready(ctx, f.client))
	}
	return errors.Join(lacks...)
}

func (f frontDoors) destroyStale(ctx context.Context) error {
	namespaces := &corev1.NamespaceList{}
	if err := f.client.List(ctx, namespaces, client.HasLabels{constants.LabelExposureClassHandlerName}); err != nil {
		return fmt.Errorf("list namespaces of exposure class handlers: %w", err)
	}
	for i := range namespaces.Items {
		for _, object := range frontdoor.Stale(&namespaces.Items[i], f.gateways) {
			if err := f.client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("delete %s of a front door: %w", object.GetName(), err)
			}
		}
	}
	return nil
}

func (f frontDoors) destroy(ctx context.Context) error {
	for _, gateway := range f.gateways {
		if err := f.cluster.destroy(ctx, gateway.Objects()); err != nil {
			return err
		}
	}
	return nil
}
