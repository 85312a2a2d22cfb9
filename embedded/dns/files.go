package dns

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/miekg/dns"
)

const suffix = ".json"

// load reads all record sets of a directory, which it makes if needed. What a crash left half-written is removed.
func load(dir string) ([]set, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var sets []set
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if strings.HasPrefix(entry.Name(), ".tmp-") {
			_ = os.Remove(path)
			continue
		}
		if !strings.HasSuffix(entry.Name(), suffix) {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var s set
		if err := json.Unmarshal(content, &s); err != nil {
			return nil, fmt.Errorf("decode %s: %w", path, err)
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// save writes one set so that a reader sees the old or the new content, whenever the process is killed.
func save(dir string, k key, s set) error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	file, err := os.CreateTemp(dir, ".tmp-")
	if err != nil {
		return err
	}
	_, err = file.Write(append(content, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, fileName(k)))
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

func remove(dir string, k key) error {
	err := os.Remove(filepath.Join(dir, fileName(k)))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// fileName is unique per key; names are canonical and hold no slashes.
func fileName(k key) string {
	return strings.TrimSuffix(k.name, ".") + "_" + dns.TypeToString[k.rtype] + suffix
}
