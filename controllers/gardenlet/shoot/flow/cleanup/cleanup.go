// Package cleanup deletes the objects in a shoot before the shoot is deleted.
package cleanup

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/providers/contract"
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
	force := kinds.force
	if text, ok := c.Shoot.Annotations[kinds.annotation]; ok {
		if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
			force = min(force, time.Duration(seconds)*time.Second)
		}
	}
	return await.Poll(ctx, func() error {
		var left []string
		for _, gvk := range kinds.kinds {
			names, err := c.cleanKind(ctx, shoot, gvk, force)
			if err != nil {
				return err
			}
			left = append(left, names...)
		}
		if len(left) > 0 {
			return contract.WithCodes(fmt.Errorf("still in the cluster: %s", shortList(left)), gardencorev1beta1.ErrorCleanupClusterResources)
		}
		return nil
	})
}

// cleanKind deletes the objects of a kind and returns those that still exist. A kind that the cluster does not know has
// none.
func (c Cleanup) cleanKind(ctx context.Context, shoot connection.Connection, gvk schema.GroupVersionKind, force time.Duration) (left []string, err error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := shoot.Client.List(ctx, list); err != nil {
		if meta.IsNoMatchError(err) || client.IgnoreNotFound(err) == nil {
			return nil, nil
		}
		return nil, fmt.Errorf("list objects of kind %s: %w", gvk.Kind, err)
	}
	for i := range list.Items {
		object := &list.Items[i]
		if Kept(object) {
			continue
		}
		left = append(left, gvk.Kind+" "+client.ObjectKeyFromObject(object).String())
		if err := c.cleanObject(ctx, shoot, object, force); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// shortList names the first few.
func shortList(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
