package removetree

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// batch is how many names are read at once.
	batch = 1024
	// passes is how often a directory is looked at again that does not become empty, because somebody still writes into it.
	passes = 16
)

// remover empties one directory. It moves directories that are deeper up into it, and empties them there.
type remover struct {
	top    *os.File
	prefix string   // of names of directories that were moved
	next   uint64   // number of the next one
	moved  []uint64 // numbers of those that are to be emptied
	err    error    // the first one
}

// in removes a name in an open directory.
func in(ctx context.Context, parent *os.File, name string) error {
	err := remove(parent, name)
	if !errors.Is(err, unix.ENOTEMPTY) {
		return err
	}
	top, err := open(parent, name)
	if err != nil {
		return err
	}
	defer top.Close()
	r := &remover{top: top, prefix: ".removed-" + rand.Text() + "-"}
	for range passes {
		r.err = nil
		if err := r.pass(ctx); err != nil {
			return err
		}
		if err = remove(parent, name); !errors.Is(err, unix.ENOTEMPTY) {
			return err
		}
		if r.err != nil {
			return r.err
		}
	}
	return err
}

// pass removes everything that is in the top.
func (r *remover) pass(ctx context.Context) error {
	if _, err := r.top.Seek(0, io.SeekStart); err != nil {
		return err
	}
	for {
		names, err := r.top.Readdirnames(batch)
		for _, name := range names {
			r.note(r.child(ctx, name))
			for len(r.moved) > 0 && ctx.Err() == nil {
				last := len(r.moved) - 1
				name := r.name(r.moved[last])
				r.moved = r.moved[:last]
				r.note(r.child(ctx, name))
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *remover) name(number uint64) string { return fmt.Sprint(r.prefix, number) }

func (r *remover) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// child removes a name in the top. Directories in it that are not empty become further names in the top.
func (r *remover) child(ctx context.Context, name string) error {
	err := remove(r.top, name)
	if !errors.Is(err, unix.ENOTEMPTY) {
		return err
	}
	dir, err := open(r.top, name)
	if err != nil {
		return err
	}
	defer dir.Close()
	for { // names that were removed meanwhile may keep others from being read
		gone, err := r.flatten(ctx, dir)
		if err != nil {
			return err
		}
		if err := remove(r.top, name); !errors.Is(err, unix.ENOTEMPTY) || !gone {
			return err
		}
		if _, err := dir.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
}

// flatten removes what is in a directory, or moves it to the top. gone tells whether that was anything.
func (r *remover) flatten(ctx context.Context, dir *os.File) (gone bool, err error) {
	for {
		names, err := dir.Readdirnames(batch)
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				return gone, err
			}
			err := remove(dir, name)
			if errors.Is(err, unix.ENOTEMPTY) {
				err = r.lift(dir, name)
			}
			r.note(err)
			gone = gone || err == nil
		}
		if errors.Is(err, io.EOF) {
			return gone, nil
		}
		if err != nil {
			return gone, err
		}
	}
}

// lift moves a directory to the top.
func (r *remover) lift(dir *os.File, name string) error {
	number := r.next
	r.next++
	err := unix.Renameat(int(dir.Fd()), name, int(r.top.Fd()), r.name(number))
	if errors.Is(err, unix.EACCES) { // its owner cannot write to it
		if err := allow(dir, name); err != nil {
			return err
		}
		err = unix.Renameat(int(dir.Fd()), name, int(r.top.Fd()), r.name(number))
	}
	if err == nil {
		r.moved = append(r.moved, number)
	}
	return err
}

// remove removes a file, a link, or an empty directory. Others are ENOTEMPTY.
func remove(dir *os.File, name string) error {
	err := unix.Unlinkat(int(dir.Fd()), name, 0)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
		if as := unix.Unlinkat(int(dir.Fd()), name, unix.AT_REMOVEDIR); !errors.Is(as, unix.ENOTDIR) {
			err = as
		}
	}
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil
	case errors.Is(err, unix.EEXIST): // some file systems say so
		return unix.ENOTEMPTY
	}
	return err
}

// open opens a directory, and lets its owner change it.
func open(dir *os.File, name string) (*os.File, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(int(dir.Fd()), name, flags, 0)
	if errors.Is(err, unix.EACCES) {
		if err := allow(dir, name); err != nil {
			return nil, err
		}
		fd, err = unix.Openat(int(dir.Fd()), name, flags, 0)
	}
	if err != nil {
		return nil, err
	}
	_ = unix.Fchmod(fd, 0o700) // without it, removing says why it fails
	return os.NewFile(uintptr(fd), name), nil
}

// allow gives the owner of a directory all permissions. It changes nothing that a link leads to: the descriptor is that of the name itself,
// and must be one of a directory.
func allow(dir *os.File, name string) error {
	fd, err := unix.Openat(int(dir.Fd()), name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), 0o700)
}
