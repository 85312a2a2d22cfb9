package snapshot

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"time"
)

// Kind is the kind of a snapshot's content.
type Kind string

// Kinds as they are written in names.
const (
	// Full is the whole database.
	Full Kind = "Full"
	// Delta is all changes since the snapshot before it.
	Delta Kind = "Incr"
)

// encrypted ends the suffix of encrypted snapshots. It is that of files of age.
const encrypted = ".age"

// Layout is the directory of the snapshots below the prefix of an etcd.
const Layout = "v2"

// Snapshot is one backup.
type Snapshot struct {
	Kind Kind
	// Start is the first revision of a delta, 0 for a full snapshot. End is the last revision that was acknowledged before
	// the snapshot was taken. A full snapshot may contain later ones.
	Start, End int64
	Created    time.Time
	// Generation counts how often the data of the etcd were put back to a state before that of a snapshot; usually 0.
	Generation int64
	// Suffix names the compression, for example ".gz"; empty means none.
	Suffix string
	// Encrypted marks a snapshot that is encrypted after it was compressed.
	Encrypted bool
	// Final marks the last snapshot before a control plane moves. Retention never deletes it.
	Final bool
	// Compacted marks a full snapshot that was made of others. It contains exactly what the delta with the same end completes.
	Compacted bool
	// Size in bytes as stored; 0 if it is not known.
	Size int64
}

// Ends of names.
const (
	final     = ".final"
	compacted = ".compacted"
)

var pattern = regexp.MustCompile(`^(Full|Incr)-(\d{8,19})-(\d{8,19})-(\d{1,12})(\.gz|\.zlib|\.Z|\.zst)?(\.age)?(?:\.g([1-9]\d{0,8}))?(\.final|\.compacted)?$`)

// Parse reads the name of an object in a store. It reports false for other objects.
func Parse(key string) (Snapshot, bool) {
	if path.Dir(key) != Layout {
		return Snapshot{}, false
	}
	parts := pattern.FindStringSubmatch(path.Base(key))
	if parts == nil {
		return Snapshot{}, false
	}
	numbers := make([]int64, 3)
	for i := range numbers {
		n, err := strconv.ParseInt(parts[i+2], 10, 64)
		if err != nil {
			return Snapshot{}, false
		}
		numbers[i] = n
	}
	generation, _ := strconv.ParseInt(parts[7], 10, 64) // 0 without one
	return Snapshot{
		Kind: Kind(parts[1]), Start: numbers[0], End: numbers[1], Created: time.Unix(numbers[2], 0).UTC(),
		Generation: generation, Suffix: parts[5], Encrypted: parts[6] != "", Final: parts[8] == final, Compacted: parts[8] == compacted,
	}, true
}

// Key is the name of the object in the store.
func (s Snapshot) Key() string {
	name := fmt.Sprintf("%s-%08d-%08d-%d%s", s.Kind, s.Start, s.End, s.Created.Unix(), s.Suffix)
	if s.Encrypted {
		name += encrypted
	}
	if s.Generation > 0 {
		name += fmt.Sprintf(".g%d", s.Generation)
	}
	if s.Final {
		name += final
	} else if s.Compacted {
		name += compacted
	}
	return path.Join(Layout, name)
}
