package layers

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"strings"
)

// Names that delete, from the image specification of OCI.
const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
)

// layer is a layer that is being read. What it deletes holds for the layers below it, not for itself.
type layer struct {
	tree            *Tree
	deleted, opaque map[string]bool
	links           []link
	hidden          hidden
}

func (l *layer) add(header *tar.Header, content io.Reader) error {
	name := clean(header.Name)
	base := path.Base(name)
	switch {
	case base == opaque:
		l.opaque[path.Dir(name)] = true
		return nil
	case strings.HasPrefix(base, whiteout):
		l.deleted[path.Join(path.Dir(name), strings.TrimPrefix(base, whiteout))] = true
		return nil
	case l.tree.covered(name):
		if header.Typeflag == tar.TypeReg {
			return l.hidden.keep(name, content)
		}
		return nil
	}
	switch header.Typeflag {
	case tar.TypeDir:
		return l.tree.dir(name, header)
	case tar.TypeReg:
		return l.tree.file(name, header, content)
	case tar.TypeSymlink:
		return l.tree.symlink(name, header)
	case tar.TypeFifo:
		return l.tree.fifo(name, header)
	case tar.TypeLink:
		l.links = append(l.links, link{name: name, target: clean(header.Linkname), header: header})
		l.tree.files[name] = true
	}
	return nil
}

// finish makes the hard links, as copies, since the EROFS writer knows none. Then it passes on what the layer deletes.
func (l *layer) finish() error {
	pending := append(l.tree.links, l.links...)
	l.tree.links = nil
	for _, link := range pending {
		content, err := l.open(link.target)
		if errors.Is(err, fs.ErrNotExist) {
			l.tree.links = append(l.tree.links, link)
			continue
		}
		if err != nil {
			return err
		}
		err = l.tree.write(link.name, link.header, content)
		if err = errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	maps.Copy(l.tree.deleted, l.deleted)
	maps.Copy(l.tree.opaque, l.opaque)
	return nil
}

// open reads a file of this layer, although a layer above may have replaced it, or else of the layers above.
func (l *layer) open(name string) (io.ReadCloser, error) {
	if content := l.hidden.open(name); content != nil {
		return content, nil
	}
	return l.tree.writer.Open(name)
}
