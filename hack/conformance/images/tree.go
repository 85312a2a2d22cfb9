package images

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// tree is the content of a layer. Its keys are paths without a slash at the beginning.
type tree map[string]entry

type entry struct {
	header  tar.Header
	content []byte
}

// merged are the directories that are links to those of the same name below usr.
var merged = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32"}

// clean is the path of a file, below usr if it is in a directory that is a link.
func clean(name string) string {
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	if first, _, found := strings.Cut(name, "/"); found && slices.Contains(merged, first) {
		return "usr/" + name
	}
	return name
}

func (t tree) add(header tar.Header, content []byte) {
	header.Name = clean(header.Name)
	if header.Typeflag == tar.TypeLink {
		header.Linkname = clean(header.Linkname)
	}
	if header.Name == "" || slices.Contains(merged, header.Name) && header.Typeflag == tar.TypeDir {
		return
	}
	header.Size = int64(len(content))
	t[header.Name] = entry{header, content}
}

func (t tree) directory(name string, mode int64) {
	t.add(tar.Header{Name: name, Mode: mode, Typeflag: tar.TypeDir}, nil)
}

func (t tree) link(name, target string) {
	t.add(tar.Header{Name: name, Mode: 0o777, Typeflag: tar.TypeSymlink, Linkname: target}, nil)
}

func (t tree) write(name, content string) {
	t.add(tar.Header{Name: name, Mode: 0o644, Typeflag: tar.TypeReg}, []byte(content))
}

// copy adds a file of this machine.
func (t tree) copy(name, file string, mode int64) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	t.add(tar.Header{Name: name, Mode: mode, Typeflag: tar.TypeReg}, content)
	return nil
}

// unpack adds the files of an archive.
func (t tree) unpack(archive io.Reader) error {
	r := tar.NewReader(archive)
	for {
		header, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
		t.add(*header, content)
	}
}

// layer has the files in the order of their paths, so directories come before what is in them.
func (t tree) layer() (v1.Layer, error) {
	names := make([]string, 0, len(t))
	for name := range t {
		names = append(names, name)
	}
	slices.Sort(names)
	// Hard links come after their targets.
	slices.SortStableFunc(names, func(a, b string) int { return order(t[a]) - order(t[b]) })
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, name := range names {
		header := t[name].header
		if err := w.WriteHeader(&header); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if _, err := w.Write(t[name].content); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil })
}

func order(e entry) int {
	if e.header.Typeflag == tar.TypeLink {
		return 1
	}
	return 0
}
