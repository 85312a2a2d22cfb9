package peer

import (
	"context"
	"errors"
	"path/filepath"
)

// Backups say how an etcd of Etcd runs.
type Backups bool

// An etcd alone, and one that backs itself up into a directory.
const (
	Without Backups = false
	With    Backups = true
)

// Etcd starts one etcd alone, without clients, as the only server of a Peer. One with backups is the process that runs the etcd of a shoot: it makes a full
// snapshot, and then watches for changes. After an error nothing is running.
func Etcd(ctx context.Context, binary, dir string, backups Backups) (*Peer, error) {
	p, err := New(binary, dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	name, args, serves := "etcd", p.etcdArgs(), ready("http://"+p.client+"/health") // one that only listens does not end yet when it is told to
	if backups {
		name, args, serves = "backup-restore", append(p.backupArgs(), args...), ready("http://"+p.secure+"/healthz")
	}
	if err := p.start(ctx, name, args, serves); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func (p *Peer) backupArgs() []string {
	return []string{
		"serve", "--listen=" + p.secure, "--watchdog", "--full-schedule=0 0 * * *",
		"--store-provider=local", "--store-container=bucket", "--store-prefix=peer/etcd", "--store-dir=" + p.file("backups"), "--",
	}
}

// Snapshots are the files of snapshots that an etcd with backups has made.
func (p *Peer) Snapshots() ([]string, error) {
	return filepath.Glob(filepath.Join(p.file("backups"), "bucket", "peer", "etcd", "v2", "*"))
}
