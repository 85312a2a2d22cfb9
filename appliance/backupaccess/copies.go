// Package backupaccess lets the nodes of one seed read the backups of one etcd in the bucket of another seed, when a control plane
// moves. Buckets of the provider local are directories of the landscape, and the nodes of a seed have only those of their own seed. So
// the snapshots are copied into it. The package opens no other directory: neither objects nor Secrets name one.
package backupaccess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// Copies gives access by copies, which are read-only. Nodes that write to them all the same do not change the snapshots of the source.
type Copies struct {
	// Dir is the directory with the buckets of a seed.
	Dir func(seed string) string
}

var _ etcd.Access = Copies{}

// Grant implements etcd.Access. Nodes of both seeds may write to the directories and are not trusted: no symbolic link leads out of the
// buckets of a seed.
func (c Copies) Grant(ctx context.Context, of etcd.Location, to string) error {
	if err := check(of, to); err != nil {
		return err
	}
	source, err := os.OpenRoot(c.Dir(of.Seed))
	if err != nil {
		return fmt.Errorf("open the buckets of seed %q: %w", of.Seed, err)
	}
	defer source.Close()
	dir := path.Join(of.Bucket, of.Prefix, snapshot.Layout)
	found, err := fs.ReadDir(source.FS(), dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list backups of seed %q: %w", of.Seed, err)
	}
	if !restorable(found) {
		return fmt.Errorf("bucket %q of seed %q has no backups at %q", of.Bucket, of.Seed, of.Prefix)
	}
	if err := os.MkdirAll(c.Dir(to), 0o700); err != nil { // a seed whose bucket is in an object store has none yet
		return fmt.Errorf("make directory for buckets of seed %q: %w", to, err)
	}
	target, err := os.OpenRoot(c.Dir(to))
	if err != nil {
		return fmt.Errorf("open the buckets of seed %q: %w", to, err)
	}
	defer target.Close()
	if err := target.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory for the backups of seed %q: %w", of.Seed, err)
	}
	into, err := target.Open(dir)
	if err != nil {
		return fmt.Errorf("open directory for the backups of seed %q: %w", of.Seed, err)
	}
	defer into.Close()
	for _, entry := range found {
		if !isSnapshot(entry) {
			continue
		}
		if err := errors.Join(ctx.Err(), copyFile(source, path.Join(dir, entry.Name()), into, entry.Name())); err != nil {
			return fmt.Errorf("copy backup %s of seed %q: %w", entry.Name(), of.Seed, err)
		}
	}
	return nil
}

// Revoke implements etcd.Access. The other seed and its bucket may be gone.
func (c Copies) Revoke(_ context.Context, of etcd.Location, to string) error {
	if err := checkNames(of, to); err != nil {
		return err
	}
	target, err := os.OpenRoot(c.Dir(to))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the buckets of seed %q: %w", to, err)
	}
	defer target.Close()
	if err := target.RemoveAll(path.Join(of.Bucket, of.Prefix)); err != nil {
		return fmt.Errorf("remove access to backups in bucket %q: %w", of.Bucket, err)
	}
	for dir := path.Dir(path.Join(of.Bucket, of.Prefix)); dir != "."; dir = path.Dir(dir) {
		if err := target.Remove(dir); err != nil {
			break // other shoots have copies in it
		}
	}
	return nil
}

func check(of etcd.Location, to string) error {
	if !strings.EqualFold(of.Provider, location.Local) {
		return fmt.Errorf("nodes of other seeds cannot reach buckets of provider %q, only those of provider %q", of.Provider, location.Local)
	}
	if of.Seed == to {
		return fmt.Errorf("bucket %q belongs to seed %q itself", of.Bucket, to)
	}
	return checkNames(of, of.Seed, to)
}

// checkNames checks the names of a place and of seeds, which are names of directories.
func checkNames(of etcd.Location, seeds ...string) error {
	for _, name := range append(seeds, of.Bucket) {
		if err := location.Check(name, of.Prefix); err != nil {
			return fmt.Errorf("backups in bucket %q: %w", of.Bucket, err)
		}
	}
	return nil
}

func isSnapshot(entry fs.DirEntry) bool {
	_, known := snapshot.Parse(path.Join(snapshot.Layout, entry.Name()))
	return known && entry.Type().IsRegular()
}

// restorable reports whether an etcd can be restored from the files: it would begin empty without a full snapshot.
func restorable(files []fs.DirEntry) bool {
	for _, entry := range files {
		if s, _ := snapshot.Parse(path.Join(snapshot.Layout, entry.Name())); s.Kind == snapshot.Full && isSnapshot(entry) {
			return true
		}
	}
	return false
}

// readOnly is the mode of copies.
const readOnly fs.FileMode = 0o400

// copyFile copies the file that it has opened and examined, whatever has its name by then. It replaces anything that is no copy of it.
func copyFile(source *os.Root, name string, into *os.File, as string) error {
	file, err := source.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was old, and has been deleted
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	// The path leads to the directory that is open, whatever has its name by now.
	target := path.Join("/proc/self/fd", strconv.Itoa(int(into.Fd())), as)
	if old, err := os.Lstat(target); err == nil && isCopy(old, info) {
		return nil
	}
	if err := atomicfile.WriteFrom(target, io.LimitReader(file, info.Size()), readOnly); err != nil {
		return err
	}
	at := unix.NsecToTimespec(info.ModTime().UnixNano())
	return unix.UtimesNanoAt(int(into.Fd()), as, []unix.Timespec{at, at}, unix.AT_SYMLINK_NOFOLLOW)
}

// isCopy compares what a copy has of its original. The time is set last, so a file with it is complete. A hard link is no copy.
func isCopy(is, of fs.FileInfo) bool {
	return is.Mode() == readOnly && is.Size() == of.Size() && is.ModTime().Equal(of.ModTime()) && !os.SameFile(is, of)
}
