package layers

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// dir makes a directory, or gives one that came with its content from a layer above its mode and owner.
func (t *Tree) dir(name string, header *tar.Header) error {
	if t.dirs[name] {
		return nil
	}
	if name != "/" && !t.exists(name) {
		if err := t.writer.Mkdir(name, 0); err != nil {
			return err
		}
	}
	t.dirs[name] = true
	return t.attributes(name, header)
}

func (t *Tree) file(name string, header *tar.Header, content io.Reader) error {
	if t.exists(name) { // a directory, by what a layer above has in it
		return nil
	}
	t.files[name] = true
	return t.write(name, header, content)
}

func (t *Tree) write(name string, header *tar.Header, content io.Reader) error {
	file, err := t.writer.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return t.attributes(name, header)
}

func (t *Tree) symlink(name string, header *tar.Header) error {
	if t.exists(name) {
		return nil
	}
	t.files[name] = true
	if header.Linkname == "" {
		return errors.New("symbolic link without target")
	}
	if err := t.writer.Symlink(header.Linkname, name); err != nil {
		return err
	}
	return t.owner(name, header)
}

func (t *Tree) fifo(name string, header *tar.Header) error {
	if t.exists(name) {
		return nil
	}
	t.files[name] = true
	if err := t.writer.Mknod(name, unix.S_IFIFO, 0); err != nil {
		return err
	}
	return t.attributes(name, header)
}

func (t *Tree) exists(name string) bool {
	_, err := t.writer.Stat(name)
	return err == nil
}

func (t *Tree) attributes(name string, header *tar.Header) error {
	if err := t.writer.Chmod(name, header.FileInfo().Mode()); err != nil {
		return err
	}
	return t.owner(name, header)
}

func (t *Tree) owner(name string, header *tar.Header) error {
	if header.Uid < 0 || header.Gid < 0 {
		return fmt.Errorf("owner %d:%d", header.Uid, header.Gid)
	}
	return errors.Join(t.writer.Chown(name, header.Uid, header.Gid), t.writer.Chtimes(name, header.ModTime, header.ModTime))
}
