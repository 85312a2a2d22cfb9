package snapshots

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/restore"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/validate"
	"github.com/gardener-up/gardener-up/embedded/etcd"
)

// ErrNone means that an etcd has no snapshots.
var ErrNone = errors.New("there are no snapshots")

// Restoration puts the data of an etcd that does not run back from its snapshots.
type Restoration struct {
	Paths paths.Paths
	// Etcd is the configuration of the etcd, as far as its data depend on it.
	Etcd etcd.Config
	// Cluster is the ID that the cluster of the etcd must have; empty if it is not known.
	Cluster string
	// Now is the time for the name of the former data.
	Now time.Time
	Log logr.Logger
}

// Restored describes a restoration.
type Restored struct {
	restore.Result
	// Former is the directory with the data that were there before; empty if there were none.
	Former string
}

// Run restores the newest snapshots that are undamaged. What is in the data directory is set aside and not removed. After an error the
// data directory is as it was.
func (r Restoration) Run(ctx context.Context) (Restored, error) {
	opened, err := open(ctx, r.Paths, r.Etcd.Name)
	if err != nil {
		return Restored{}, err
	}
	defer opened.Close()
	founding := r.Etcd.Founding()
	former := r.Etcd.DataDir + "." + r.Now.UTC().Format("20060102T150405.000Z")
	result, moved, err := restore.Replace(ctx, restore.Config{
		Store: opened, Dir: r.Etcd.DataDir, Name: founding.Name, PeerURLs: founding.PeerURLs, Cluster: founding.Cluster, Token: founding.Token, Log: r.Log,
	}, former, r.check)
	if errors.Is(err, restore.ErrNothing) {
		return Restored{}, ErrNone
	}
	if err != nil {
		return Restored{}, err
	}
	if !moved {
		former = ""
	}
	return Restored{result, former}, nil
}

// check refuses data that the landscape would not take for its own.
func (r Restoration) check(dir string) error {
	cluster, err := validate.Cluster(dir)
	if err == nil && r.Cluster != "" && cluster != r.Cluster {
		err = fmt.Errorf("the restored data are those of cluster %s, and the landscape knows %s", cluster, r.Cluster)
	}
	return err
}
