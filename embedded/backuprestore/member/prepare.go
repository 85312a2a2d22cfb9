package member

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/known"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/restore"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/validate"
	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
)

// Files beside the data directory.
const (
	// cleanFile exists if etcd was stopped in order. Its data need no full examination then.
	cleanFile = "stopped-in-order"
	// attemptsFile counts examinations that did not end. Damage may end the process.
	attemptsFile = "examining"
	// damagedSuffix is what a damaged data directory is renamed to, for people.
	damagedSuffix = ".damaged"
	// hopeless is the number of such attempts after which data count as damaged. One may be a kill.
	hopeless = 2
)

// preparation makes the data directory usable before etcd starts.
type preparation struct {
	flags   ownFlags
	store   *store.Store // nil if there are no backups
	client  TLS
	log     logr.Logger
	cluster string // initial-cluster after joining
}

// run makes the data directory usable: it restores or replaces lost and damaged data. It returns the flags to start etcd
// with.
func (p *preparation) run(ctx context.Context) (ownflags.Flags, error) {
	dir := p.flags.dir()
	if err := makeVolume(filepath.Dir(dir)); err != nil {
		return nil, err
	}
	if err := known.In(dir).Tidy(); err != nil {
		p.log.Error(err, "Temporary files stay in the data of the etcd")
	}
	if !p.flags.alone() { // another member may take the next snapshot
		if err := known.In(dir).Remove(); err != nil { // an old note costs a full snapshot if the member is alone again
			p.log.Error(err, "The note of the newest snapshot stays")
		}
	}
	err := p.examine(dir)
	switch {
	case err == nil:
		return p.flags.Flags, nil
	case !errors.Is(err, validate.ErrMissing) && !errors.Is(err, validate.ErrCorrupt):
		return nil, fmt.Errorf("examine data: %w", err)
	}
	lost := errors.Is(err, validate.ErrMissing)
	if !lost {
		p.log.Error(err, "The data of the etcd are damaged")
	}
	if !p.flags.alone() {
		return p.replace(ctx, lost)
	}
	if err := p.recover(ctx, lost); err != nil {
		return nil, err
	}
	return p.flags.Flags, nil
}

// makeVolume makes the directory around the data. On an embedded node it is a link to the volume, which somebody may have deleted,
// too.
func makeVolume(dir string) error {
	if target, err := os.Readlink(dir); err == nil {
		dir = target
	}
	return os.MkdirAll(dir, 0o700)
}

// examine counts attempts, because damage may end the process.
func (p *preparation) examine(dir string) error {
	beside := filepath.Dir(dir)
	clean, attempts := filepath.Join(beside, cleanFile), filepath.Join(beside, attemptsFile)
	mode := validate.Full
	if err := os.Remove(clean); err == nil {
		mode = validate.Sanity
	}
	content, err := os.ReadFile(attempts)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	count, _ := strconv.Atoi(strings.TrimSpace(string(content)))
	if count >= hopeless {
		_ = os.Remove(attempts)
		return fmt.Errorf("%w: the process has ended %d times while it examined them", validate.ErrCorrupt, count)
	}
	if err := os.WriteFile(attempts, strconv.AppendInt(nil, int64(count+1), 10), 0o600); err != nil {
		return err
	}
	err = validate.Dir(dir, mode)
	return errors.Join(err, os.Remove(attempts))
}

// recover restores the data of a single member. Without backups a new etcd begins. A store that cannot be read is an error:
// an empty etcd must not replace data that may exist.
func (p *preparation) recover(ctx context.Context, lost bool) error {
	dir := p.flags.dir()
	if p.store == nil {
		return p.setAside(dir)
	}
	result, _, err := restore.Replace(ctx, restore.Config{
		Store: p.store, Dir: dir, Log: p.log,
		Name: p.flags.Get("name"), PeerURLs: p.flags.List("initial-advertise-peer-urls"),
		Cluster: p.flags.Get("initial-cluster"), Token: p.flags.Get("initial-cluster-token"),
	}, dir+damagedSuffix, nil)
	if errors.Is(err, restore.ErrNothing) {
		if !lost {
			p.log.Info("There are no backups: a new etcd begins")
		}
		return p.setAside(dir)
	}
	if err != nil {
		return fmt.Errorf("restore data from backups: %w", err)
	}
	restorations.Inc()
	p.log.Info("Restored the data from backups", "full", result.From.Full.Key(), "deltas", len(result.From.Deltas), "revision", result.Revision,
		"refused", len(result.Refused))
	return nil
}

// setAside keeps the last damaged data directory for people.
func (p *preparation) setAside(dir string) error {
	_, err := restore.SetAside(dir, dir+damagedSuffix)
	return err
}
