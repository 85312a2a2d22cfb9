package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"
)

// Extract writes the entries of an archive below an open directory, and checks them. Nothing outside of the directory is read or written,
// whatever the archive holds: symbolic links are made last, and nothing is written through them. What was written before an error stays.
// What is there already is an error. Owners are restored if this process may give files away, as root may; other users get theirs from it.
func Extract(ctx context.Context, r io.Reader, root *os.Root) (Header, Manifest, error) {
	header, manifest, err := Read(ctx, r, func(entry Entry, content io.Reader) error {
		switch entry.Kind {
		case Dir:
			return root.MkdirAll(entry.Path, 0o700)
		case File:
			return write(root, entry, content)
		case HardLink:
			return errors.Join(root.MkdirAll(path.Dir(entry.Path), 0o700), root.Link(entry.Target, entry.Path))
		}
		return nil // symbolic links come last
	})
	if err != nil {
		return header, manifest, err
	}
	for _, entry := range manifest.Entries {
		if entry.Kind == Link {
			err = errors.Join(err, root.MkdirAll(path.Dir(entry.Path), 0o700), root.Symlink(entry.Target, entry.Path), give(root, entry))
		}
	}
	for _, entry := range slices.Backward(manifest.Entries) { // a directory after what is in it
		if entry.Kind == Dir {
			err = errors.Join(err, give(root, entry), root.Chmod(entry.Path, entry.Mode))
		}
	}
	return header, manifest, err
}

func write(root *os.Root, entry Entry, content io.Reader) error {
	if err := root.MkdirAll(path.Dir(entry.Path), 0o700); err != nil {
		return err
	}
	file, err := root.OpenFile(entry.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	var n int64
	if entry.Length > 0 {
		n, err = writeSparse(file, entry.Length, content)
	} else {
		n, err = io.Copy(file, content)
	}
	if err == nil && n != entry.Size {
		err = fmt.Errorf("write %s: %d of %d bytes", entry.Path, n, entry.Size)
	}
	return errors.Join(err, give(root, entry), file.Chmod(entry.Mode&fs.ModePerm), file.Close())
}

// give gives an entry to its owner. A user who is not known here leaves it to the one who runs the landscape.
func give(root *os.Root, entry Entry) error {
	if entry.Owner == (Owner{}) {
		return nil
	}
	err := root.Lchown(entry.Path, int(entry.User), int(entry.Group))
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}
