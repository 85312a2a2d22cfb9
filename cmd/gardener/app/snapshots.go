package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// storedSnapshot is a snapshot of an etcd.
type storedSnapshot struct {
	// Kind is full or delta.
	Kind string `json:"kind"`
	// FirstRevision of a delta; a full snapshot contains everything up to LastRevision.
	FirstRevision int64     `json:"firstRevision"`
	LastRevision  int64     `json:"lastRevision"`
	Created       time.Time `json:"created"`
	Size          int64     `json:"size"` // in bytes
	Name          string    `json:"name"`
}

func describeSnapshot(s snapshot.Snapshot) storedSnapshot {
	kind := "full"
	if s.Kind == snapshot.Delta {
		kind = "delta"
	}
	return storedSnapshot{Kind: kind, FirstRevision: s.Start, LastRevision: s.End, Created: s.Created, Size: s.Size, Name: s.Key()}
}

// snapshotColumns are the titles of row.
var snapshotColumns = []string{"KIND", "REVISIONS", "CREATED", "BYTES", "NAME"}

func (s storedSnapshot) row() []string {
	return []string{s.Kind, fmt.Sprintf("%d-%d", s.FirstRevision, s.LastRevision), s.Created.Local().Format(time.DateTime), fmt.Sprint(s.Size), s.Name}
}

func newShootSnapshots(global *globalFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "snapshots NAME", Short: "List the backups of a shoot's etcd, the oldest first", Args: needs("the name of a shoot"), ValidArgsFunction: completeShoots(global),
		Example: `  gardener shoot snapshots sun
  gardener shoot snapshots sun -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := shootKey(cmd, args[0])
			if err != nil {
				return err
			}
			l, err := global.load(nil)
			if err != nil {
				return err
			}
			found, err := snapshotsOf(cmd.Context(), l, key)
			if err != nil {
				return err
			}
			return printAs(cmd.OutOrStdout(), output, found, func() [][]string {
				rows := [][]string{snapshotColumns}
				for _, s := range found {
					rows = append(rows, s.row())
				}
				return rows
			})
		},
	}
	addOutput(cmd, &output)
	return cmd
}

// snapshotsOf reads the directory in which the shoot's etcd backs itself up. The etcd need not run.
func snapshotsOf(ctx context.Context, l *landscape, shoot types.NamespacedName) ([]storedSnapshot, error) {
	garden, err := l.garden(ctx)
	if err != nil {
		return nil, err
	}
	config, err := backupsOf(ctx, l, garden, shoot)
	if err != nil {
		return nil, err
	}
	opened, err := store.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	all, err := opened.List(ctx)
	if err != nil {
		return nil, err
	}
	out := []storedSnapshot{}
	for _, s := range all {
		out = append(out, describeSnapshot(s))
	}
	return out, nil
}

// backupsOf finds where a shoot's etcd backs itself up. The garden knows it, also if the seed is lost.
func backupsOf(ctx context.Context, l *landscape, garden client.Reader, key types.NamespacedName) (store.Config, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := garden.Get(ctx, key, shoot); apierrors.IsNotFound(err) {
		return store.Config{}, shootNotFound(key.Namespace, key.Name)
	} else if err != nil {
		return store.Config{}, fmt.Errorf("read shoot %s: %w", key, err)
	}
	name := fmt.Sprintf("%s--%s", shoot.Status.TechnicalID, shoot.Status.UID)
	entries := &gardencorev1beta1.BackupEntryList{}
	if err := garden.List(ctx, entries, client.InNamespace(key.Namespace)); err != nil {
		return store.Config{}, fmt.Errorf("list backup entries: %w", err)
	}
	i := slices.IndexFunc(entries.Items, func(entry gardencorev1beta1.BackupEntry) bool { return entry.Name == name })
	if i < 0 {
		return store.Config{}, &exitError{code: codeNotFound, err: fmt.Errorf("shoot %s has no backup entry", key), hint: "shoots are backed up if their seed has spec.backup"}
	}
	entry, bucket := &entries.Items[i], &gardencorev1beta1.BackupBucket{}
	if err := garden.Get(ctx, types.NamespacedName{Name: entry.Spec.BucketName}, bucket); err != nil {
		return store.Config{}, fmt.Errorf("read backup bucket %q: %w", entry.Spec.BucketName, err)
	}
	if provider := bucket.Spec.Provider.Type; provider != location.Local {
		return store.Config{}, &exitError{code: codeFailure, err: fmt.Errorf("backups of provider %q are not on this machine", provider), hint: "list them with the tools of that provider"}
	}
	return store.Config{
		Provider: location.Local, Container: entry.Spec.BucketName, Prefix: name + "/etcd-main", Dir: l.paths.Backups(ptr.Deref(entry.Spec.SeedName, "")),
	}, nil
}
