// Package layers joins the layers of a container image, which are tar archives, to one tree of files. It follows the image
// specification of OCI: a file .wh.NAME in a layer deletes NAME of the layers below, and .wh..wh..opq deletes everything in its
// directory that comes from below. Devices are left out, since a container gets its own.
package layers

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/erofs/go-erofs"
)

// Writer makes the file system. It is implemented by *erofs.Writer.
type Writer interface {
	Create(name string) (*erofs.File, error)
	Mkdir(name string, perm fs.FileMode) error
	Symlink(target, name string) error
	Mknod(name string, mode uint16, rdev uint32) error
	Chmod(name string, mode fs.FileMode) error
	Chown(name string, uid, gid int) error
	Chtimes(name string, atime, mtime time.Time) error
	Stat(name string) (fs.FileInfo, error)
	Open(name string) (fs.File, error)
}

// Tree is the file tree of the layers added so far. Layers are added from the uppermost down.
type Tree struct {
	writer    Writer
	temporary string

	files   map[string]bool // paths that are no directories: nothing at or below them is taken from lower layers
	dirs    map[string]bool // directories whose mode and owner are known
	deleted map[string]bool // paths that lower layers must not bring back
	opaque  map[string]bool // directories whose content in lower layers is deleted
	links   []link          // hard links whose target no layer has brought yet
}

type link struct {
	name, target string
	header       *tar.Header
}

// NewTree writes to the writer. It keeps files in the temporary directory until Finish.
func NewTree(writer Writer, temporary string) *Tree {
	return &Tree{
		writer: writer, temporary: temporary,
		files: map[string]bool{}, dirs: map[string]bool{}, deleted: map[string]bool{}, opaque: map[string]bool{},
	}
}

// AddLayer adds the next layer below the former ones.
func (t *Tree) AddLayer(stream io.Reader) error {
	layer := &layer{tree: t, deleted: map[string]bool{}, opaque: map[string]bool{}, hidden: hidden{dir: t.temporary}}
	defer func() { _ = layer.hidden.close() }()
	archive := tar.NewReader(stream)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return layer.finish()
		}
		if err != nil {
			return fmt.Errorf("read layer: %w", err)
		}
		if err := layer.add(header, archive); err != nil {
			return fmt.Errorf("unpack %s: %w", header.Name, err)
		}
	}
}

// Finish reports links without a target, which only a broken image has.
func (t *Tree) Finish() error {
	for _, link := range t.links {
		return fmt.Errorf("unpack %s: it is a link to %s, which does not exist", link.name, link.target)
	}
	return nil
}

// covered tells whether a layer above hides the path.
func (t *Tree) covered(name string) bool {
	if t.files[name] || t.deleted[name] {
		return true
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if t.files[dir] || t.deleted[dir] || t.opaque[dir] {
			return true
		}
		if dir == "/" {
			return false
		}
	}
}

// clean makes an absolute path of a name in an archive. A name cannot leave the root.
func clean(name string) string { return path.Clean("/" + strings.TrimLeft(name, "/")) }
