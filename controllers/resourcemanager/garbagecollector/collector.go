// Package garbagecollector deletes Secrets and ConfigMaps of the target that were replaced by objects with
// new names and that no workload refers to any more. It considers only objects with its label; see package references.
package garbagecollector

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/references"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// DefaultMinimumAge spares new objects whose workload may not exist yet.
const DefaultMinimumAge = 10 * time.Minute

// collected are the kinds that are deleted, by the name that references use for them.
var collected = map[string]string{references.KindSecret: "Secret", references.KindConfigMap: "ConfigMap"}

// referrers are the kinds whose annotations count. ManagedResources are part of the target only in seeds.
var referrers = []schema.GroupVersionKind{
	{Group: "apps", Version: "v1", Kind: "Deployment"},
	{Group: "apps", Version: "v1", Kind: "StatefulSet"},
	{Group: "apps", Version: "v1", Kind: "DaemonSet"},
	{Group: "batch", Version: "v1", Kind: "Job"},
	{Group: "batch", Version: "v1", Kind: "CronJob"},
	{Version: "v1", Kind: "Pod"},
	resourcesv1alpha1.SchemeGroupVersion.WithKind("ManagedResource"),
}

// Collector checks all namespaces every Period. It is a runnable of a manager. An error ends the current round, but not
// the collector.
type Collector struct {
	Target     client.Client // uncached
	Clock      clock.Clock
	Period     time.Duration
	MinimumAge time.Duration
	Namespace  string // empty means all
}

// Start blocks until ctx ends.
func (c *Collector) Start(ctx context.Context) error {
	for {
		if err := c.Collect(ctx); err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "Round of garbage collection was incomplete")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-c.Clock.After(c.Period):
		}
	}
}

// object identifies an object that can be referred to.
type object struct{ kind, namespace, name string }

// Collect makes one round. It lists candidates before references, so that it sees every reference to a candidate that
// is older than the list. The minimum age covers younger references.
func (c *Collector) Collect(ctx context.Context) error {
	candidates := map[object]metav1.PartialObjectMetadata{}
	for kind, name := range collected {
		list, err := c.list(ctx, corev1.SchemeGroupVersion.WithKind(name), client.MatchingLabels{
			resourcesv1alpha1.LabelKeyGarbageCollectable: resourcesv1alpha1.LabelValueGarbageCollectable,
		})
		if err != nil {
			return err
		}
		for _, item := range list {
			if c.Clock.Since(item.CreationTimestamp.Time) >= c.MinimumAge && item.DeletionTimestamp == nil {
				candidates[object{kind, item.Namespace, item.Name}] = item
			}
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	for _, kind := range referrers {
		list, err := c.list(ctx, kind)
		if err != nil {
			return err
		}
		for _, item := range list {
			for key, value := range item.Annotations {
				if kind, name, ok := references.Parse(key, value); ok {
					delete(candidates, object{kind, item.Namespace, name})
				}
			}
		}
	}
	return c.delete(ctx, candidates)
}

func (c *Collector) delete(ctx context.Context, unused map[object]metav1.PartialObjectMetadata) error {
	var errs []error
	for id, item := range unused {
		item.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(collected[id.kind]))
		// The resource version ensures that no change of the object itself has put it into use meanwhile.
		err := c.Target.Delete(ctx, &item, client.Preconditions{UID: ptr.To(item.UID), ResourceVersion: ptr.To(item.ResourceVersion)})
		if client.IgnoreNotFound(err) != nil {
			errs = append(errs, fmt.Errorf("delete %s %s/%s: %w", id.kind, id.namespace, id.name, err))
			continue
		}
		log.FromContext(ctx).V(1).Info("Deleted unused object", "kind", id.kind, "namespace", id.namespace, "name", id.name)
	}
	return errors.Join(errs...)
}

func (c *Collector) list(ctx context.Context, kind schema.GroupVersionKind, options ...client.ListOption) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := c.Target.List(ctx, list, append(options, client.InNamespace(c.Namespace))...); err != nil {
		if meta.IsNoMatchError(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("list objects of kind %s: %w", kind.Kind, err)
	}
	return list.Items, nil
}
