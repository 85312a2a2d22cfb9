package imagestore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/erofs/go-erofs"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/imagestore/internal/layers"
)

// unpack writes the files of an image as one EROFS file, unless it is there, and returns its size. The EROFS implementation of gVisor
// reads neither compressed files nor extended attributes, so there are none.
func unpack(image v1.Image, path string) (int64, error) {
	if info, err := os.Stat(path); err == nil {
		return info.Size(), nil
	}
	content, err := image.Layers()
	if err != nil {
		return 0, fmt.Errorf("unpack image: %w", err)
	}
	err = atomicfile.WriteBy(path, 0o600, func(w io.Writer) error {
		file, ok := w.(*os.File)
		if !ok {
			return errors.New("not a file")
		}
		return flatten(content, file)
	})
	if err != nil {
		return 0, fmt.Errorf("unpack image: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("unpack image: %w", err)
	}
	return info.Size(), nil
}

// flatten joins the layers, the uppermost first: what an upper layer has or deletes is not looked for below it. Mount points come last.
func flatten(content []v1.Layer, file *os.File) error {
	temporary, err := os.MkdirTemp(filepath.Dir(file.Name()), ".layers-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	writer := erofs.Create(file, erofs.WithTempDir(temporary))
	tree := layers.NewTree(writer, temporary)
	for i := len(content) - 1; i >= 0; i-- {
		if err := add(tree, content[i]); err != nil {
			return err
		}
	}
	last, err := mountPointLayer()
	if err != nil {
		return err
	}
	if err := tree.AddLayer(last); err != nil {
		return err
	}
	if err := tree.Finish(); err != nil {
		return err
	}
	return writer.Close()
}

func add(tree *layers.Tree, layer v1.Layer) error {
	stream, err := layer.Uncompressed()
	if err != nil {
		return err
	}
	return errors.Join(tree.AddLayer(stream), stream.Close())
}

var _ layers.Writer = (*erofs.Writer)(nil)
