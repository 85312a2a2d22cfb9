package snapshots

import (
	"context"
	"path/filepath"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// open opens the snapshots of the etcd of that name. It makes their directory.
func open(ctx context.Context, p paths.Paths, name string) (*store.Store, error) {
	dir, container := filepath.Split(p.Snapshots())
	return store.Open(ctx, store.Config{Provider: location.Local, Dir: dir, Container: container, Prefix: name})
}

// List returns the snapshots of the etcd of that name, the oldest first.
func List(ctx context.Context, p paths.Paths, name string) ([]snapshot.Snapshot, error) {
	opened, err := open(ctx, p, name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return opened.List(ctx)
}
