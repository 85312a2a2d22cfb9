package imagestore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// contents is the part of a store that has manifests, configurations and layers, by their digests.
type contents struct {
	dir string // absolute
}

// image returns the stored image of a manifest. Nothing is read until it is asked for.
func (c contents) image(manifest v1.Hash) v1.Image {
	image, err := partial.CompressedToImage(&stored{contents: c, manifest: manifest})
	if err != nil {
		panic(fmt.Sprintf("CompressedToImage does not fail: %v", err))
	}
	return image
}

// stored is an image made of blobs.
type stored struct {
	contents contents
	manifest v1.Hash
}

var _ partial.CompressedImageCore = (*stored)(nil)

func (i *stored) RawManifest() ([]byte, error) { return os.ReadFile(i.contents.path(i.manifest)) }

func (i *stored) RawConfigFile() ([]byte, error) {
	manifest, err := partial.Manifest(i)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(i.contents.path(manifest.Config.Digest))
}

func (i *stored) MediaType() (types.MediaType, error) {
	manifest, err := partial.Manifest(i)
	if err != nil {
		return "", err
	}
	return manifest.MediaType, nil
}

func (i *stored) LayerByDigest(digest v1.Hash) (partial.CompressedLayer, error) {
	manifest, err := partial.Manifest(i)
	if err != nil {
		return nil, err
	}
	for _, layer := range append(manifest.Layers, manifest.Config) {
		if layer.Digest == digest {
			return &blob{contents: i.contents, descriptor: layer}, nil
		}
	}
	return nil, fmt.Errorf("image has no layer %s", digest)
}

// blob is a layer in the store.
type blob struct {
	contents   contents
	descriptor v1.Descriptor
}

var _ partial.CompressedLayer = (*blob)(nil)

func (b *blob) Digest() (v1.Hash, error)            { return b.descriptor.Digest, nil }
func (b *blob) Size() (int64, error)                { return b.descriptor.Size, nil }
func (b *blob) MediaType() (types.MediaType, error) { return b.descriptor.MediaType, nil }
func (b *blob) Compressed() (io.ReadCloser, error) {
	return os.Open(b.contents.path(b.descriptor.Digest))
}

func (c contents) path(digest v1.Hash) string { return filepath.Join(c.dir, digest.Hex) }

func (c contents) has(digest v1.Hash, size int64) bool {
	info, err := os.Stat(c.path(digest))
	return err == nil && info.Size() == size
}

// write stores the content of an image, layers first and the manifest last. Content that is there is not read again, so an
// interrupted pull goes on where it stopped, layer by layer.
func (c contents) write(image v1.Image) (v1.Hash, error) {
	manifest, err := image.Manifest()
	if err != nil {
		return v1.Hash{}, fmt.Errorf("read manifest: %w", err)
	}
	for _, descriptor := range manifest.Layers {
		if !descriptor.MediaType.IsLayer() {
			return v1.Hash{}, fmt.Errorf("%s holds no files of a container, so this is not an image", descriptor.MediaType)
		}
		if c.has(descriptor.Digest, descriptor.Size) {
			continue
		}
		layer, err := image.LayerByDigest(descriptor.Digest)
		if err != nil {
			return v1.Hash{}, fmt.Errorf("read layer %s: %w", descriptor.Digest, err)
		}
		if err := c.writeFrom(descriptor, layer.Compressed); err != nil {
			return v1.Hash{}, err
		}
	}
	config, err := image.RawConfigFile()
	if err != nil {
		return v1.Hash{}, fmt.Errorf("read configuration: %w", err)
	}
	raw, err := image.RawManifest()
	if err != nil {
		return v1.Hash{}, fmt.Errorf("read manifest: %w", err)
	}
	digest, err := image.Digest()
	if err != nil {
		return v1.Hash{}, fmt.Errorf("read manifest: %w", err)
	}
	return digest, errors.Join(
		c.writeBytes(manifest.Config.Digest, config),
		c.writeBytes(digest, raw),
	)
}
