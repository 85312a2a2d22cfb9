package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/archive"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// dataDir is the directory of the data in the volume of an etcd of a shoot.
const dataDir = "new.etcd"

// directory is a state directory that is added to an archive: that of the landscape, or that of a further seed.
type directory struct {
	paths  paths.Paths
	prefix string   // in the archive
	etcds  []string // names of its etcds
	// databases holds the databases of the etcds; empty if nothing runs, and the data are added as they are.
	databases string
	covered   []string // further seeds that are in the archive
	keys      kept     // the store and the keys, once keep has read them
	warn      func(string)
}

// keep reads the store and the keys, which have to fit to the etcds.
func (d *directory) keep(ctx context.Context) error {
	if err := d.addStore(&d.keys); err != nil {
		return err
	}
	return tree{ctx: ctx, out: &d.keys, warn: d.warn}.add(d.paths.PKI(), d.name(d.paths.PKI()))
}

// addTo adds everything that cannot be made again, and what would take long to be made again. The store and the keys are as keep has
// read them. Tenants get as much of the archive's room as is left for each of some directories.
func (d directory) addTo(ctx context.Context, out *archive.Writer, directories int) error {
	if err := d.keys.addTo(out); err != nil {
		return err
	}
	t := tree{ctx: ctx, out: out, warn: d.warn}
	if err := t.add(d.paths.Zone(), d.name(d.paths.Zone())); err != nil {
		return err
	}
	for _, name := range d.etcds {
		from, to := d.paths.Etcd(name), d.paths.Etcd(name)
		if d.databases != "" {
			from, to = filepath.Join(d.databases, name), filepath.Join(d.paths.Snapshots(), name)
		}
		if err := t.add(from, d.name(to)); err != nil {
			return err
		}
	}
	if err := t.addFile(d.paths.Run().Config(), d.name(d.paths.Run().Config())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.tenants = true
	t.room = func() int { return out.Left() / directories }
	if err := t.addParts(d.paths.Backups(""), d.name(d.paths.Backups(""))); err != nil {
		return err
	}
	return d.addVolumes(t)
}

// addStore adds the store as it is now. It has to know no further seeds but those in the archive.
func (d directory) addStore(out sink) error {
	s, err := store.Read(d.paths.Store())
	if err != nil {
		return err
	}
	defer s.Close()
	all, err := s.Seeds()
	if err != nil {
		return err
	}
	for _, seed := range all {
		if seed.Cluster != "" && !slices.Contains(d.covered, seed.Name) {
			return fmt.Errorf("seed %s was added while the backup was made: try again", seed.Name)
		}
	}
	var text bytes.Buffer
	if err := s.Copy(&text); err != nil {
		return err
	}
	_, err = out.File(d.name(d.paths.Store()), 0o600, archive.Owner{}, int64(text.Len()), &text)
	return err
}

// addVolumes adds the volumes of the seed's pods, and those of shoots. While a landscape runs, the data of the etcds of shoots change all the
// time; their backups have been added, from which they are restored.
func (d directory) addVolumes(t tree) error {
	volumes := d.name(d.paths.Volumes())
	if d.databases != "" {
		t.skip = func(name string) bool { return d.ofEtcd(strings.TrimPrefix(name, volumes+"/")) }
	}
	return t.addParts(d.paths.Volumes(), volumes)
}

// ofEtcd reports whether a path below the volumes is in that of an etcd of a shoot, which has the path NAMESPACE/VOLUME. Users of shoots write
// into other directories only.
func (d directory) ofEtcd(name string) bool {
	parts := strings.SplitN(name, "/", 3)
	if len(parts) < 3 || parts[0] == shootVolumes {
		return false
	}
	info, err := os.Lstat(filepath.Join(d.paths.Volumes(), parts[0], parts[1], dataDir))
	return err == nil && info.IsDir()
}

// name is the name of a path in the archive.
func (d directory) name(file string) string {
	name := strings.TrimPrefix(strings.TrimPrefix(file, d.paths.Root()), string(filepath.Separator))
	return path.Join(d.prefix, filepath.ToSlash(name))
}
