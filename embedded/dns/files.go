package dns

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/miekg/dns"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

const suffix = ".json"

// damagedSuffix is that of files that were set aside.
const damagedSuffix = ".damaged"

// load reads all record sets of a directory and creates the directory if needed. It removes files that a crash left
// incomplete. A file that holds no record set is set aside: one of them must not take the names of all others. Who publishes the
// record writes it again.
func load(dir string) (sets map[key]set, damaged []string, _ error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	sets = map[key]set{}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if atomicfile.IsTemporary(entry.Name()) {
			_ = os.Remove(path)
			continue
		}
		if !strings.HasSuffix(entry.Name(), suffix) {
			continue
		}
		k, s, err := read(path)
		if err == nil {
			sets[k] = s
			continue
		}
		if err := atomicfile.Move(path, path+damagedSuffix); err != nil {
			return nil, nil, fmt.Errorf("set a damaged record aside: %w", err)
		}
		damaged = append(damaged, fmt.Sprintf("%s%s: %v", path, damagedSuffix, err))
	}
	return sets, damaged, nil
}

func read(path string) (key, set, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return key{}, set{}, err
	}
	var s set
	if err := json.Unmarshal(content, &s); err != nil {
		return key{}, set{}, err
	}
	k, _, err := s.validate()
	return k, s, err
}

// save writes one set so that readers see either the old or the new content, whenever the process is killed.
func save(dir string, k key, s set) error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, fileName(k)), append(content, '\n'), 0o600)
}

func remove(dir string, k key) error {
	err := os.Remove(filepath.Join(dir, fileName(k)))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// fileName is unique per key. Names are canonical and contain no slashes.
func fileName(k key) string {
	return strings.TrimSuffix(k.name, ".") + "_" + dns.TypeToString[k.rtype] + suffix
}
