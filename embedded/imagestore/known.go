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

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// known is the part of a store that has the names of images, by the clusters that know them.
type known struct {
	dir string // absolute
}

// list returns the images that a cluster knows, then those that all know.
func (k known) list(cluster string) ([]Record, error) {
	var all []Record
	for _, dir := range []string{cluster, everyone} {
		if dir == "" {
			continue
		}
		records, err := k.read(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, records...)
	}
	return all, nil
}

func (k known) clusters() ([]string, error) {
	entries, err := os.ReadDir(k.dir)
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
func (k known) find(cluster, image string) (Record, error) {
	records, err := k.list(cluster)
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

// write writes the record, for the cluster or, if that is empty, for all.
func (k known) write(cluster string, record Record) error {
	path := k.path(cmp.Or(cluster, everyone), record.Reference)
	content, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return atomicfile.Update(path, content, 0o600, 0o700)
}

func (k known) path(dir string, reference Reference) string {
	sum := sha256.Sum256([]byte(reference))
	return filepath.Join(k.dir, dir, hex.EncodeToString(sum[:])+".json")
}

// read reads the names in a directory. It skips a file that cannot be read, as if the image had never been pulled.
func (k known) read(dir string) ([]Record, error) {
	if dir != filepath.Base(dir) {
		return nil, fmt.Errorf("list images of cluster %q: the name of a cluster has no slashes", dir)
	}
	entries, err := os.ReadDir(filepath.Join(k.dir, dir))
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
		content, err := os.ReadFile(filepath.Join(k.dir, dir, entry.Name()))
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
