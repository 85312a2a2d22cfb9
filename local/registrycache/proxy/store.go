package proxy

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// store keeps blobs and manifests by digest, and the digests of tags, each in a file below a directory.
type store struct{ dir string }

// manifest is a manifest or an index as it was fetched.
type manifest struct {
	mediaType types.MediaType
	content   []byte
}

func (s store) blobPath(digest v1.Hash) string {
	return filepath.Join(s.dir, "blobs", digest.Algorithm, digest.Hex)
}

func (s store) manifestPath(digest v1.Hash) string {
	return filepath.Join(s.dir, "manifests", digest.Algorithm, digest.Hex)
}

// tagPath encodes the client's names, so that they cannot lead out of the directory.
func (s store) tagPath(repository, tag string) string {
	return filepath.Join(s.dir, "tags", hex.EncodeToString([]byte(repository)), hex.EncodeToString([]byte(tag)))
}

// manifest returns nil if the store does not have it.
func (s store) manifest(digest v1.Hash) (*manifest, error) {
	data, err := os.ReadFile(s.manifestPath(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	mediaType, content, _ := bytes.Cut(data, []byte("\n"))
	return &manifest{mediaType: types.MediaType(mediaType), content: content}, err
}

func (s store) putManifest(digest v1.Hash, m *manifest) error {
	return s.put(s.manifestPath(digest), io.MultiReader(strings.NewReader(string(m.mediaType)+"\n"), bytes.NewReader(m.content)))
}

// tag is the last known digest of a tag; false if there is none.
func (s store) tag(repository, tag string) (v1.Hash, bool) {
	data, err := os.ReadFile(s.tagPath(repository, tag))
	if err != nil {
		return v1.Hash{}, false
	}
	digest, err := v1.NewHash(string(data))
	return digest, err == nil
}

func (s store) putTag(repository, tag string, digest v1.Hash) error {
	return s.put(s.tagPath(repository, tag), strings.NewReader(digest.String()))
}

// blob opens a blob. It returns nil if the store does not have it.
func (s store) blob(digest v1.Hash) (*os.File, error) {
	file, err := os.Open(s.blobPath(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return file, err
}

func (s store) putBlob(digest v1.Hash, content io.Reader) error {
	return s.put(s.blobPath(digest), content)
}

// put writes a file as a whole.
func (s store) put(path string, content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return atomicfile.WriteFrom(path, content, 0o600)
}

// sweep removes files that were stored before the given time, and returns their number.
func (s store) sweep(before time.Time) (removed int, err error) {
	err = filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreMissing(err)
		}
		info, err := entry.Info()
		if err != nil || !info.ModTime().Before(before) {
			return ignoreMissing(err)
		}
		removed++
		return ignoreMissing(os.Remove(path))
	})
	return removed, err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
