package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Image returns an image of the bundle for an architecture. It is nil if the bundle has none for it. Layers are not checked before they
// are read by their digest, as package imagestore and registries do.
func (b *Bundle) Image(content Content, architecture string) (v1.Image, error) {
	digest, err := v1.NewHash(content.Digest)
	if err != nil {
		return nil, damaged("%s has no digest", content.Name)
	}
	raw, err := b.small(digest)
	if err != nil {
		return nil, err
	}
	var kind struct {
		MediaType types.MediaType `json:"mediaType"`
		Manifests []v1.Descriptor `json:"manifests"`
	}
	if err := json.Unmarshal(raw, &kind); err != nil {
		return nil, damaged("%s has no manifest", content.Name)
	}
	if kind.Manifests == nil {
		return b.image(digest, architecture)
	}
	for _, candidate := range kind.Manifests {
		if candidate.Platform != nil && candidate.Platform.Satisfies(v1.Platform{OS: "linux", Architecture: architecture}) {
			return b.image(candidate.Digest, architecture)
		}
	}
	return nil, nil
}

func (b *Bundle) image(manifest v1.Hash, architecture string) (v1.Image, error) {
	image, err := partial.CompressedToImage(&stored{bundle: b, manifest: manifest})
	if err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	if file.Architecture != architecture {
		return nil, nil
	}
	return image, nil
}

// small reads a manifest or a configuration, and checks its digest.
func (b *Bundle) small(digest v1.Hash) ([]byte, error) {
	name := path.Join(blobs, digest.Hex)
	size, found := b.sizes[name]
	if !found || size > largestList {
		return nil, damaged("it has no manifest %s", digest)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(b.read(name), text); err != nil {
		return nil, fmt.Errorf("read bundle: %w", err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != digest.Hex {
		return nil, damaged("%s was changed", name)
	}
	return text, nil
}

// stored is an image made of files of the bundle.
type stored struct {
	bundle   *Bundle
	manifest v1.Hash
}

var _ partial.CompressedImageCore = (*stored)(nil)

func (i *stored) RawManifest() ([]byte, error) { return i.bundle.small(i.manifest) }

func (i *stored) RawConfigFile() ([]byte, error) {
	manifest, err := partial.Manifest(i)
	if err != nil {
		return nil, err
	}
	return i.bundle.small(manifest.Config.Digest)
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
		if _, found := i.bundle.places[path.Join(blobs, digest.Hex)]; layer.Digest == digest && found {
			return &blob{bundle: i.bundle, descriptor: layer}, nil
		}
	}
	return nil, damaged("it has no layer %s", digest)
}

// blob is a layer in the bundle.
type blob struct {
	bundle     *Bundle
	descriptor v1.Descriptor
}

var _ partial.CompressedLayer = (*blob)(nil)

func (l *blob) Digest() (v1.Hash, error)            { return l.descriptor.Digest, nil }
func (l *blob) Size() (int64, error)                { return l.descriptor.Size, nil }
func (l *blob) MediaType() (types.MediaType, error) { return l.descriptor.MediaType, nil }
func (l *blob) Compressed() (io.ReadCloser, error) {
	return io.NopCloser(l.bundle.read(path.Join(blobs, l.descriptor.Digest.Hex))), nil
}

// Top returns the content as registries have it: a v1.ImageIndex or, where there is none, a v1.Image. A chart is an image, too.
func (b *Bundle) Top(content Content) (any, error) {
	digest, err := v1.NewHash(content.Digest)
	if err != nil {
		return nil, damaged("%s has no digest", content.Name)
	}
	raw, err := b.small(digest)
	if err != nil {
		return nil, err
	}
	manifest, err := v1.ParseIndexManifest(bytes.NewReader(raw))
	if err != nil {
		return nil, damaged("%s has no manifest", content.Name)
	}
	if manifest.Manifests == nil {
		return partial.CompressedToImage(&stored{bundle: b, manifest: digest})
	}
	return &index{bundle: b, digest: digest, raw: raw, manifest: manifest}, nil
}

// index is an index of images in the bundle.
type index struct {
	bundle   *Bundle
	digest   v1.Hash
	raw      []byte
	manifest *v1.IndexManifest
}

var _ v1.ImageIndex = (*index)(nil)

func (i *index) MediaType() (types.MediaType, error)       { return i.manifest.MediaType, nil }
func (i *index) Digest() (v1.Hash, error)                  { return i.digest, nil }
func (i *index) Size() (int64, error)                      { return int64(len(i.raw)), nil }
func (i *index) IndexManifest() (*v1.IndexManifest, error) { return i.manifest, nil }
func (i *index) RawManifest() ([]byte, error)              { return i.raw, nil }
func (i *index) ImageIndex(digest v1.Hash) (v1.ImageIndex, error) {
	return nil, damaged("it has the index %s in another one", digest)
}
func (i *index) Image(digest v1.Hash) (v1.Image, error) {
	return partial.CompressedToImage(&stored{bundle: i.bundle, manifest: digest})
}
