// Package cleanup deletes the objects in a shoot before the shoot is deleted.
package cleanup

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/pages"
)

// Webhooks deletes webhook configurations.
func (c Cleanup) Webhooks(ctx context.Context, shoot connection.Connection) error {
	return c.clean(ctx, shoot, webhooks)
}

// ExtendedAPIs deletes APIServices and CustomResourceDefinitions.
func (c Cleanup) ExtendedAPIs(ctx context.Context, shoot connection.Connection) error {
	return c.clean(ctx, shoot, extendedAPIs)
}

// Resources deletes all other objects. Snapshots are last, since their controllers may be among the other objects.
func (c Cleanup) Resources(ctx context.Context, shoot connection.Connection) error {
	kinds := resources
	if c.Shoot.Annotations[constants.ShootSkipCleanup] == "true" {
		kinds = volumes
	}
	if err := c.clean(ctx, shoot, kinds); err != nil {
		return err
	}
	return c.clean(ctx, shoot, snapshots)
}

// clean deletes all objects of users of the kinds of the round, and waits until they are gone.
func (c Cleanup) clean(ctx context.Context, shoot connection.Connection, kinds round) error {
	force := c.forceAfter(kinds)
	var last error // what was left when the cluster could be asked
	return await.Poll(ctx, func() error {
		var found leftovers
		for _, gvk := range kinds.kinds {
			if err := c.cleanKind(ctx, shoot, gvk, force, &found); err != nil {
				if ctx.Err() != nil && last != nil {
					return last // the time is over, which is no fault of the request
				}
				return err
			}
		}
		last = found.err()
		return last
	})
}

// longest is how long an annotation can let finalizers block objects.
const longest = 365 * 24 * time.Hour

// forceAfter is how long finalizers may block objects of the round. An annotation of the Shoot replaces the usual time.
func (c Cleanup) forceAfter(kinds round) time.Duration {
	if text, ok := c.Shoot.Annotations[kinds.annotation]; ok {
		if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
			return time.Duration(min(seconds, int(longest/time.Second))) * time.Second
		}
	}
	return kinds.force
}

// mostObjects is how many objects of a kind are looked at. Etcds of shoots hold fewer, but a user's own API server can list without end.
const mostObjects = 1_000_000

// cleanKind deletes the objects of a kind and adds those that still exist to the leftovers. A kind that the cluster does
// not know has none. An object that cannot be deleted does not keep the others. It reads metadata only.
func (c Cleanup) cleanKind(ctx context.Context, shoot connection.Connection, gvk schema.GroupVersionKind, force time.Duration, found *leftovers) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	for page, err := range pages.Of(ctx, shoot.Client, list, mostObjects) {
		if many := (*pages.TooMany)(nil); errors.As(err, &many) {
			found.add("more objects of kind "+gvk.Kind, nil)
			return nil
		}
		if err != nil {
			if meta.IsNoMatchError(err) || client.IgnoreNotFound(err) == nil {
				return nil
			}
			return fmt.Errorf("list objects of kind %s: %w", gvk.Kind, err)
		}
		if err := c.cleanPage(ctx, shoot, gvk, page.Items, force, found); err != nil {
			return err
		}
	}
	return nil
}

func (c Cleanup) cleanPage(ctx context.Context, shoot connection.Connection, gvk schema.GroupVersionKind, objects []metav1.PartialObjectMetadata, force time.Duration, found *leftovers) error {
	for i := range objects {
		object := &objects[i]
		object.SetGroupVersionKind(gvk)
		if Kept(object) {
			continue
		}
		err := c.cleanObject(ctx, shoot, object, force)
		if ctx.Err() != nil {
			return err
		}
		found.add(gvk.Kind+" "+client.ObjectKeyFromObject(object).String(), err)
	}
	return nil
}
