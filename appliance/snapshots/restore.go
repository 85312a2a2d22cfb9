package snapshots

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
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
	made := r.Etcd.DataDir + ".restored"
	if err := os.RemoveAll(made); err != nil {
		return Restored{}, err
	}
	founding := r.Etcd.Founding()
	result, err := restore.Run(ctx, restore.Config{
		Store: opened, Dir: made, Name: founding.Name, PeerURLs: founding.PeerURLs, Cluster: founding.Cluster, Token: founding.Token, Log: r.Log,
	})
	if errors.Is(err, restore.ErrNothing) {
		return Restored{}, ErrNone
	}
	if err != nil {
		return Restored{}, err
	}
	if err := r.check(made); err != nil {
		return Restored{}, errors.Join(err, os.RemoveAll(made))
	}
	former, err := r.setAside()
	if err != nil {
		return Restored{}, err
	}
	return Restored{result, former}, atomicfile.Move(made, r.Etcd.DataDir)
}

// check refuses data that the landscape would not take for its own.
func (r Restoration) check(dir string) error {
	cluster, err := validate.Cluster(dir)
	if err == nil && r.Cluster != "" && cluster != r.Cluster {
		err = fmt.Errorf("the restored data are those of cluster %s, and the landscape knows %s", cluster, r.Cluster)
	}
	return err
}

// setAside renames the data directory.
func (r Restoration) setAside() (string, error) {
	if _, err := os.Lstat(r.Etcd.DataDir); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	former := r.Etcd.DataDir + "." + r.Now.UTC().Format("20060102T150405.000Z")
	return former, atomicfile.Move(r.Etcd.DataDir, former)
}
