package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/gardener-up/gardener-up/appliance/archive"
)

// maxDepth is how deep directories of tenants may be in one another. Each level takes a file descriptor while it is read.
const maxDepth = 128

// tree adds directories to an archive.
type tree struct {
	ctx  context.Context
	out  sink
	warn func(string)
	// tenants is set where tenants write: a file may vanish, change, be unreadable, or be nothing that an archive can hold.
	tenants bool
	skip    func(name string) bool // may be nil
	room    func() int             // weight of entries that tenants may add; set where tenants write

	left *int    // weight that this tenant may add; nil without a bound
	lost *losses // what this tenant loses
}

// unread is the error of reading a tree, not of writing the archive.
type unread struct{ error }

func (u unread) Unwrap() error { return u.error }

// add adds a directory with everything in it. Nothing outside of it is read, whatever links are in it. A directory that does not exist is
// empty.
func (t tree) add(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return t.tolerate(name, unread{err})
	}
	defer root.Close()
	info, err := root.Lstat(".")
	if err != nil {
		return t.tolerate(name, unread{err})
	}
	return t.tolerate(name, t.addDir(root, info, name, 0))
}

func (t tree) addDir(root *os.Root, info fs.FileInfo, name string, depth int) error {
	if err := t.out.Dir(name, info.Mode(), t.owner(info)); err != nil {
		return err
	}
	names, err := t.list(root, name)
	if err != nil {
		return unread{err}
	}
	for _, base := range names {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		full := name + "/" + base
		if t.skip != nil && t.skip(full) {
			continue
		}
		if err := t.tolerate(full, t.addEntry(root, base, full, depth+1)); err != nil {
			return err
		}
	}
	return nil
}

// list lists a directory, as far as its tenant may add what is in it.
func (t tree) list(root *os.Root, name string) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	most := -1
	if t.left != nil {
		most = max(*t.left, 0) + 1
	}
	names, err := dir.Readdirnames(most)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.Sort(names)
	if most > 0 && len(names) == most {
		t.lost.add("directories have more entries than the archive has room for, and lack some", name)
		names = names[:most-1]
	}
	t.spend(len(names))
	return names, nil
}

// spend takes from what the tenant may add.
func (t tree) spend(weight int) bool {
	if t.left == nil {
		return true
	}
	if weight > *t.left {
		return false
	}
	*t.left -= weight
	return true
}

var errDeep = errors.New("too many directories are in one another")

func (t tree) addEntry(root *os.Root, inside, name string, depth int) error {
	info, err := root.Lstat(inside)
	if err != nil {
		return unread{err}
	}
	switch info.Mode().Type() {
	case fs.ModeDir:
		if t.tenants && depth > maxDepth {
			return errDeep
		}
		sub, err := root.OpenRoot(inside)
		if err != nil {
			return unread{err}
		}
		defer sub.Close()
		if !t.spend(archive.Weight(name, "") - 1) { // 1 was spent for the name
			return archive.ErrFull
		}
		return t.addDir(sub, info, name, depth)
	case fs.ModeSymlink:
		target, err := root.Readlink(inside)
		if err != nil {
			return unread{err}
		}
		if !t.spend(archive.Weight(name, target) - 1) {
			return archive.ErrFull
		}
		return t.out.Link(name, target, t.owner(info))
	case 0:
		file, err := root.OpenFile(inside, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
		if err != nil {
			return unread{err}
		}
		defer file.Close()
		if !t.spend(archive.Weight(name, "") - 1) {
			return archive.ErrFull
		}
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
	if err != nil {
		return unread{err}
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	short, err := t.out.File(name, info.Mode(), t.owner(info), info.Size(), content{file})
	if short && err == nil {
		if !t.tenants {
			return fmt.Errorf("%s became shorter while it was read: try again", name)
		}
		t.lost.add("became shorter while they were read, and end with zeros", name)
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

// tolerate turns what tenants may cause into a loss.
func (t tree) tolerate(name string, err error) error {
	if err == nil || !t.tenants {
		return err
	}
	var reading unread
	switch {
	case errors.Is(err, archive.ErrUnfit):
		t.lost.add("have names that an archive cannot hold, and are missing", name)
	case errors.Is(err, archive.ErrFull):
		t.lost.add("are more than the archive has room for, and are missing", name)
	case errors.Is(err, errDeep):
		t.lost.add("are too deep in other directories, and are missing", name)
	case !errors.As(err, &reading) || ofMachine(err):
		return err
	case errors.Is(err, fs.ErrNotExist): // removed meanwhile
	default:
		t.lost.add("cannot be read and are missing", name)
	}
	return nil
}

// ofMachine tells whether reading failed because of the machine.
func ofMachine(err error) bool {
	return slices.ContainsFunc([]error{syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}, func(of error) bool { return errors.Is(err, of) })
}
