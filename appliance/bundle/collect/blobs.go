package collect

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// blobs is a directory of contents by digest, as in an OCI image layout.
type blobs struct{ dir string }

func openBlobs(dir string) (blobs, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return blobs{}, err
	}
	return blobs{dir}, os.MkdirAll(filepath.Join(dir, "blobs", "sha256"), 0o700)
}

func (b blobs) path(digest v1.Hash) string {
	return filepath.Join(b.dir, "blobs", "sha256", digest.Hex)
}

// has reports whether the content is complete. Its digest is checked when the bundle is written.
func (b blobs) has(digest v1.Hash, size int64) bool {
	info, err := os.Stat(b.path(digest))
	return err == nil && info.Size() == size
}

// put writes a small content, and returns its digest.
func (b blobs) put(content []byte) (v1.Hash, error) {
	sum := sha256.Sum256(content)
	digest := v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum[:])}
	return digest, b.copy(digest, int64(len(content)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
}

// copy writes a content that is at hand, unless it is there.
func (b blobs) copy(digest v1.Hash, size int64, open func() (io.ReadCloser, error)) error {
	if err := supported(digest); err != nil || b.has(digest, size) {
		return err
	}
	content, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	return atomicfile.WriteBy(b.path(digest), 0o600, func(w io.Writer) error {
		sum := sha256.New()
		if _, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(content, size+1)); err != nil {
			return err
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != digest.Hex {
			return fmt.Errorf("content has digest sha256:%s instead of %s", got, digest)
		}
		return nil
	})
}

// supported refuses digests that are no names of files.
func supported(digest v1.Hash) error {
	if _, err := v1.NewHash(digest.String()); err != nil || digest.Algorithm != "sha256" {
		return fmt.Errorf("content %s: only SHA-256 digests are supported", digest)
	}
	return nil
}

// image writes an image that is at hand, and returns its manifest's descriptor with the platform that its configuration names.
func (b blobs) image(img v1.Image) (v1.Descriptor, error) {
	manifest, err := img.Manifest()
	if err != nil {
		return v1.Descriptor{}, err
	}
	for _, descriptor := range manifest.Layers {
		layer, err := img.LayerByDigest(descriptor.Digest)
		if err != nil {
			return v1.Descriptor{}, err
		}
		if err := b.copy(descriptor.Digest, descriptor.Size, layer.Compressed); err != nil {
			return v1.Descriptor{}, err
		}
	}
	config, configErr := img.RawConfigFile()
	raw, manifestErr := img.RawManifest()
	kind, kindErr := img.MediaType()
	if err := errors.Join(configErr, manifestErr, kindErr); err != nil {
		return v1.Descriptor{}, err
	}
	if _, err := b.put(config); err != nil {
		return v1.Descriptor{}, err
	}
	digest, err := b.put(raw)
	if err != nil {
		return v1.Descriptor{}, err
	}
	platform, err := platformOf(config)
	return v1.Descriptor{MediaType: kind, Digest: digest, Size: int64(len(raw)), Platform: platform}, err
}

func platformOf(config []byte) (*v1.Platform, error) {
	file, err := v1.ParseConfigFile(bytes.NewReader(config))
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	if file.OS != "linux" || file.Architecture == "" {
		return nil, fmt.Errorf("it is an image for %q, and containers run Linux", file.OS)
	}
	return &v1.Platform{OS: file.OS, Architecture: file.Architecture, Variant: file.Variant}, nil
}

// platform is that of an image whose configuration is here.
func (b blobs) platform(config v1.Hash) (*v1.Platform, error) {
	text, err := os.ReadFile(b.path(config))
	if err != nil {
		return nil, err
	}
	return platformOf(text)
}
