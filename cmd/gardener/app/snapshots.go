package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/shootbackups"
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
	Encrypted     bool      `json:"encrypted"`
	Name          string    `json:"name"`
}

func describeSnapshot(s snapshot.Snapshot) storedSnapshot {
	kind := "full"
	if s.Kind == snapshot.Delta {
		kind = "delta"
	}
	return storedSnapshot{Kind: kind, FirstRevision: s.Start, LastRevision: s.End, Created: s.Created, Size: s.Size, Encrypted: s.Encrypted, Name: s.Key()}
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
		Long: `List the backups of a shoot's etcd, the oldest first. They are in a directory of this machine, or in an object store (S3, Google Cloud
Storage, Azure Blob Storage). The credentials for an object store are those of the etcd in its seed, or those of the bucket in the garden.`,
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

// snapshotsOf lists what is in the store in which the shoot's etcd backs itself up. The etcd need not run.
func snapshotsOf(ctx context.Context, l *landscape, shoot types.NamespacedName) ([]storedSnapshot, error) {
	garden, err := l.garden(ctx)
	if err != nil {
		return nil, err
	}
	finder := shootbackups.Finder{Garden: garden, Dir: l.paths.Backups, Seed: func(ctx context.Context, name string) (client.Reader, error) {
		seed, _, err := l.seed(ctx, name)
		return seed, err
	}}
	all, err := finder.List(ctx, shoot)
	switch {
	case errors.Is(err, shootbackups.ErrNoShoot):
		return nil, shootNotFound(shoot.Namespace, shoot.Name)
	case errors.Is(err, shootbackups.ErrNotBackedUp):
		return nil, &exitError{code: codeNotFound, err: err, hint: "shoots are backed up if their seed has spec.backup"}
	case errors.Is(err, store.ErrUnsupported):
		return nil, &exitError{code: codeFailure, err: err, hint: "list them with the tools of that provider"}
	case errors.Is(err, shootbackups.ErrNoCredentials):
		return nil, &exitError{code: codeFailure, err: err, hint: "spec.backup.credentialsRef of the Seed names the Secret"}
	case err != nil:
		return nil, cured(err, "see that this machine reaches the store, and that the credentials may list its objects")
	}
	out := []storedSnapshot{}
	for _, s := range all {
		out = append(out, describeSnapshot(s))
	}
	return out, nil
}
