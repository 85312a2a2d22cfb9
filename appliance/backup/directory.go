package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/gardener-up/gardener-up/appliance/archive"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// dataDir is the directory of the data in the volume of an etcd of a shoot.
const dataDir = "new.etcd"

// shootVolumes is the directory of paths.Shared.Volumes, in that of the volumes of a seed's pods.
const shootVolumes = ".shoots"

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
// read them.
func (d directory) addTo(ctx context.Context, out *archive.Writer) error {
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

// tree adds directories to an archive.
type tree struct {
	ctx  context.Context
	out  sink
	warn func(string)
	// tenants is set where tenants write: a file may vanish, change and be unreadable.
	tenants bool
	skip    func(name string) bool // may be nil
}

// addParts adds a directory whose parts belong to different tenants: what one of them puts into a part leads to no other part.
func (t tree) addParts(dir, name string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := t.out.Dir(name, 0o700, archive.Owner{}); err != nil {
		return err
	}
	for _, entry := range entries {
		part, inside := filepath.Join(dir, entry.Name()), path.Join(name, entry.Name())
		if !entry.IsDir() {
			continue
		}
		if entry.Name() == shootVolumes { // a directory for each shoot
			err = t.addParts(part, inside)
		} else {
			err = t.add(part, inside)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add adds a directory with everything in it. Nothing outside of it is read, whatever links are in it. A directory that does not exist is
// empty.
func (t tree) add(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(inside string, entry fs.DirEntry, err error) error {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		full := path.Join(name, inside)
		if err == nil && t.skip != nil && t.skip(full) {
			return fs.SkipDir
		}
		if err == nil {
			err = t.addEntry(root, inside, full, entry)
		}
		return t.tolerate(full, err)
	})
}

// tolerate turns what tenants may cause into a warning.
func (t tree) tolerate(name string, err error) error {
	switch {
	case err == nil || !t.tenants:
		return err
	case errors.Is(err, fs.ErrNotExist): // removed meanwhile
		return nil
	case errors.Is(err, fs.ErrPermission):
		t.warn(name + " cannot be read and is missing")
		return nil
	}
	return err
}

func (t tree) addEntry(root *os.Root, inside, name string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	switch info.Mode().Type() {
	case fs.ModeDir:
		return t.out.Dir(name, info.Mode(), t.owner(info))
	case fs.ModeSymlink:
		target, err := root.Readlink(inside)
		if err != nil {
			return err
		}
		return t.out.Link(name, target, t.owner(info))
	case 0:
		file, err := root.OpenFile(inside, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
		if err != nil {
			return err
		}
		defer file.Close()
		return t.addOpen(file, name)
	}
	return nil // sockets, pipes and devices have no content
}

func (t tree) addFile(file, name string) error {
	opened, err := os.Open(file)
	if err != nil {
		return err
	}
	defer opened.Close()
	return t.addOpen(opened, name)
}

func (t tree) addOpen(file *os.File, name string) error {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	short, err := t.out.File(name, info.Mode(), t.owner(info), info.Size(), content{file})
	if short && err == nil {
		if !t.tenants {
			return fmt.Errorf("%s became shorter while it was read: try again", name)
		}
		t.warn(name + " became shorter while it was read, and ends with zeros")
	}
	return err
}

// owner is that of what tenants write. All else belongs to who runs the landscape.
func (t tree) owner(info fs.FileInfo) archive.Owner {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known || !t.tenants || os.Geteuid() != 0 { // another one has no files but his own, and those that nobody here can restore
		return archive.Owner{}
	}
	return archive.Owner{User: stat.Uid, Group: stat.Gid}
}

// content hides everything of a file but its content.
type content struct{ io.Reader }
