package reconcile

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Neighbours triggers a reconciliation of all objects of a kind in the namespace of the changed object. For objects
// that do not wait, it only costs a read from the cache.
func Neighbours(c client.Client, kind client.Object) (handler.MapFunc, error) {
	gvk, err := apiutil.GVKForObject(kind, c.Scheme())
	if err != nil {
		return nil, fmt.Errorf("find kind of %T: %w", kind, err)
	}
	gvk.Kind += "List"
	return func(ctx context.Context, changed client.Object) []reconcile.Request {
		list, err := c.Scheme().New(gvk)
		if err != nil {
			return nil
		}
		if err := c.List(ctx, list.(client.ObjectList), client.InNamespace(changed.GetNamespace())); err != nil {
			return nil // they look again by themselves
		}
		var requests []reconcile.Request
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			if obj, ok := item.(client.Object); ok {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(obj)})
			}
			return nil
		})
		return requests
	}, nil
}
