package encryption

import (
	"context"
	"fmt"
	"hash/maphash"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/pages"
)

const (
	// concurrency is the number of objects that are written at a time.
	concurrency = 8
	// mostObjects is how many objects of a resource are written. Etcds of shoots hold fewer, but a user's own API server can list without
	// end.
	mostObjects = 1_000_000
)

// Rewriter writes objects by changing their label with the name of the key. A change of a label writes the whole object.
type Rewriter struct {
	// Client of the shoot, without a cache.
	Client client.Client
}

// Label gives the label to all objects of the resources that have another one or none.
func (r Rewriter) Label(ctx context.Context, resources []string, key string) error {
	return r.each(ctx, resources, selection.NotIn, []string{key}, fmt.Sprintf("%q", key))
}

// Unlabel removes the label from all objects of the resources that have one, whatever its value.
func (r Rewriter) Unlabel(ctx context.Context, resources []string) error {
	return r.each(ctx, resources, selection.Exists, nil, "null")
}

func (r Rewriter) each(ctx context.Context, resources []string, operator selection.Operator, values []string, next string) error {
	requirement, err := labels.NewRequirement(constants.LabelKeyName, operator, values)
	if err != nil {
		return fmt.Errorf("select objects by key: %w", err)
	}
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{%q:%s}}}`, constants.LabelKeyName, next))
	for _, resource := range resources {
		if err := r.resource(ctx, resource, labels.NewSelector().Add(*requirement), patch); err != nil {
			return fmt.Errorf("rewrite %s: %w", resource, err)
		}
	}
	return nil
}

// resource patches the selected objects of a resource until none is left.
func (r Rewriter) resource(ctx context.Context, resource string, selector labels.Selector, patch client.Patch) error {
	kind, err := r.Client.RESTMapper().KindFor(schema.ParseGroupResource(resource).WithVersion(""))
	if meta.IsNoMatchError(err) {
		return nil // its definition is gone, and its objects with it
	}
	if err != nil {
		return fmt.Errorf("find kind: %w", err)
	}
	seen := seen{seed: maphash.MakeSeed(), uids: map[uint64]bool{}}
	for {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		list, err := pages.First(ctx, r.Client, list, client.MatchingLabelsSelector{Selector: selector})
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		if len(list.Items) == 0 {
			return nil
		}
		if err := r.page(ctx, kind, list.Items, seen, patch); err != nil {
			return err
		}
		log.FromContext(ctx).Info("Rewrote encrypted objects", "resource", resource, "done", len(seen.uids))
	}
}

// seen remembers objects by hashes of their UIDs, which have any length if a user's own API server makes them up.
type seen struct {
	seed maphash.Seed
	uids map[uint64]bool
}

// add reports whether the object is new.
func (s seen) add(uid types.UID) bool {
	hash := maphash.String(s.seed, string(uid))
	known := s.uids[hash]
	s.uids[hash] = true
	return !known
}

// page patches objects. It returns an error for objects that have been patched before: something in the cluster takes the
// change back.
func (r Rewriter) page(ctx context.Context, kind schema.GroupVersionKind, objects []metav1.PartialObjectMetadata, seen seen, patch client.Patch) error {
	if len(seen.uids)+len(objects) > mostObjects {
		return &pages.TooMany{Kind: kind.Kind, Most: mostObjects}
	}
	for _, object := range objects {
		if !seen.add(object.UID) {
			return fmt.Errorf("the label %s of %q changes again and again: check the webhooks of the cluster", constants.LabelKeyName, client.ObjectKeyFromObject(&object))
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for i := range objects {
		object := &objects[i]
		group.Go(func() error {
			object.SetGroupVersionKind(kind)
			name := client.ObjectKeyFromObject(object)
			if err := r.Client.Patch(ctx, object, patch, seed.Owner); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("patch %q: %w", name, err)
			}
			return nil
		})
	}
	return group.Wait()
}
