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

	files map[inode]string // paths of the tenant's files that have several names
	left  *int             // weight that this tenant may add; nil without a bound
	lost  *losses          // what this tenant loses
}

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
	if t.tenants {
		if linked, err := t.again(info, name); linked || err != nil {
			return err
		}
	}
	short, err := t.content(file, info, name)
	if err == nil && t.tenants {
		t.note(info, name)
	}
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
		t.lost.add("have names or sizes that an archive cannot hold, and are missing", name)
	case errors.Is(err, archive.ErrFull):
		t.lost.add("are more than the archive has room for, and are missing", name)
	case errors.Is(err, errHuge):
		t.lost.add("are far larger than what the disk holds of them, and are missing", name)
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

// blockSize is the unit of what the kernel tells about the room of a file.
const blockSize = 512

// content adds the content of a file, as far as it is on the disk.
func (t tree) content(file *os.File, info fs.FileInfo, name string) (short bool, err error) {
	out, can := t.out.(interface {
		Sparse(path string, mode fs.FileMode, owner archive.Owner, length int64, extents []archive.Extent, content io.ReaderAt) (bool, error)
	})
	stat, known := info.Sys().(*syscall.Stat_t)
	if t.tenants && can && known && stat.Blocks*blockSize < info.Size() {
		extents, err := extentsOf(file, info.Size())
		if err != nil {
			return false, err
		}
		total := int64(0)
		for _, e := range extents {
			total += e.Size
		}
		if total/32 > stat.Blocks*blockSize+1<<20 { // the file system knows no holes, or has compressed nothing but zeros
			return false, errHuge
		}
		if total < info.Size() {
			return out.Sparse(name, info.Mode(), t.owner(info), info.Size(), extents, file)
		}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false, unread{err}
	}
	return t.out.File(name, info.Mode(), t.owner(info), info.Size(), content{file})
}

// again adds a file as a hard link, if the tree has it by another name. So its content is there once.
func (t tree) again(info fs.FileInfo, name string) (bool, error) {
	out, can := t.out.(interface {
		HardLink(path, target string) error
	})
	which, ok := several(info)
	first := t.files[which]
	if !can || !ok || first == "" {
		return false, nil
	}
	if !t.spend(archive.Weight(name, first) - archive.Weight(name, "")) {
		return false, archive.ErrFull
	}
	return true, out.HardLink(name, first)
}

func (t tree) note(info fs.FileInfo, name string) {
	if which, ok := several(info); ok && t.files != nil {
		t.files[which] = name
	}
}
