package rotation

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

const (
	// concurrency is the number of objects that are written at a time.
	concurrency = 8
	// pause until etcd is read once more.
	pause = 300 * time.Millisecond
)

// Rewrite writes each object that is stored with a former key, until there is none. An API server stores an object again that was
// encrypted with a former key, even if nothing else changes. What is left to do is read from etcd, so a rewrite that was interrupted
// goes on where it was.
func (u Users) Rewrite(ctx context.Context, key host.EncryptionKey) error {
	for {
		written, err := u.rewrite(ctx, key)
		if err != nil || written == 0 {
			return err
		}
		log.FromContext(ctx).Info("Wrote objects that were encrypted with a former key", "objects", written)
		select { // API servers take a moment to learn the new key, and then these objects are written once more
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("%d objects were stored with a former encryption key: %w", written, ctx.Err())
		}
	}
}

// rewrite returns the number of objects that it wrote.
func (u Users) rewrite(ctx context.Context, key host.EncryptionKey) (int64, error) {
	var written atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	err := key.Outdated(ctx, func(stored host.Stored) error {
		group.Go(func() error {
			object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: stored.Namespace, Name: stored.Name}}
			object.SetGroupVersionKind(stored.Kind)
			err := u.Virtual.Patch(ctx, object, client.RawPatch("application/merge-patch+json", []byte("{}")), fieldOwner)
			if client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("write %s %s/%s with the new encryption key: %w", stored.Kind.Kind, stored.Namespace, stored.Name, err)
			}
			written.Add(1)
			return nil
		})
		return ctx.Err()
	})
	if failed := group.Wait(); failed != nil {
		return written.Load(), failed
	}
	return written.Load(), err
}
