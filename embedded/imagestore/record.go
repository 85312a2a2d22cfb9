package imagestore

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Record is the content that a name refers to.
type Record struct {
	Reference Reference `json:"reference"`
	// ID is the digest of the image's configuration.
	ID v1.Hash `json:"id"`
	// Manifest is the digest of the image's manifest for this machine's platform.
	Manifest v1.Hash `json:"manifest"`
	// Size is that of the unpacked files in bytes.
	Size int64 `json:"size"`
	// Loaded reports whether an operator loaded the image, for all clusters.
	Loaded bool `json:"-"`
}

// List returns the images that a cluster knows: those it pulled, then those that an operator loaded. With an empty cluster
// it returns the loaded images only.
func (s *Store) List(cluster string) ([]Record, error) {
	var all []Record
	for _, dir := range []string{cluster, everyone} {
		if dir == "" {
			continue
		}
		records, err := s.records(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, records...)
	}
	return all, nil
}

// Clusters returns the names of all clusters that pulled images.
func (s *Store) Clusters() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, names))
	if err != nil {
		return nil, fmt.Errorf("list image store: %w", err)
	}
	var clusters []string
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != everyone {
			clusters = append(clusters, entry.Name())
		}
	}
	return clusters, nil
}

// find looks for a reference first, and then for an ID or digest.
func (s *Store) find(cluster, image string) (Record, error) {
	records, err := s.List(cluster)
	if err != nil {
		return Record{}, err
	}
	if reference, err := Parse(image); err == nil {
		for _, record := range records {
			if record.Reference == reference {
				return record, nil
			}
		}
	}
	for _, record := range records {
		if record.is(image) {
			return record, nil
		}
	}
	return Record{}, fmt.Errorf("%s: %w", image, ErrNotFound)
}

// is tells whether the text is the image's ID, or names the repository of its reference with its digest.
func (r Record) is(image string) bool {
	return image == r.ID.String() || image == r.ID.Hex || image == r.RepositoryDigest()
}

// RepositoryDigest is the reference by digest: repository@sha256:….
func (r Record) RepositoryDigest() string {
	return r.Reference.Repository() + "@" + r.Manifest.String()
}

// name writes the record, for the cluster or, if that is empty, for all.
func (s *Store) name(cluster string, record Record) error {
	path := s.record(cmp.Or(cluster, everyone), record.Reference)
	content, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return atomicfile.Update(path, content, 0o600, 0o700)
}

func (s *Store) record(dir string, reference Reference) string {
	sum := sha256.Sum256([]byte(reference))
	return filepath.Join(s.dir, names, dir, hex.EncodeToString(sum[:])+".json")
}

// records reads the names in a directory. It skips a file that cannot be read, as if the image had never been pulled.
func (s *Store) records(dir string) ([]Record, error) {
	if dir != filepath.Base(dir) {
		return nil, fmt.Errorf("list images of cluster %q: the name of a cluster has no slashes", dir)
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, names, dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list images: %w", err)
	}
	var records []Record
	for _, entry := range entries {
		if atomicfile.IsTemporary(entry.Name()) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(s.dir, names, dir, entry.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list images: %w", err)
		}
		var record Record
		if json.Unmarshal(content, &record) != nil {
			continue
		}
		record.Loaded = dir == everyone
		records = append(records, record)
	}
	slices.SortFunc(records, func(a, b Record) int { return strings.Compare(string(a.Reference), string(b.Reference)) })
	return records, nil
}
