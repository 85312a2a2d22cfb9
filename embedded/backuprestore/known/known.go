// Package known notes inside the data directory of an etcd which are the newest snapshots of the etcd that these data contain. The note goes where the data
// go. So old data that somebody puts back are known by their old note, however many revisions they have got since.
//
// A snapshot is noted before it has its name in the store. So data contain a snapshot that they do not note only if their etcd is older than notes, or if the
// note could not be written or has too many, which costs a full snapshot. As snapshots that could not be stored may still appear in the store, the note names
// each of them since the last one that was stored. Their order alone would not do: another copy of the data may have stored something between them.
package known

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// file is the name of the note in the directory of the member. etcd looks for other names there.
const file = "newest-snapshot"

// Note is that of one data directory. The empty Note reads and writes nothing.
type Note struct{ path string }

// In is the note in a data directory of etcd.
func In(dataDir string) Note { return Note{filepath.Join(dataDir, "member", file)} }

// Read returns the snapshots in the note, nil if there is no note. A note that somebody has damaged, or that cannot be read, has none of them, but is not nil:
// the data then count as put back, which costs a full snapshot. An error says why it cannot be read.
func (n Note) Read() ([]snapshot.Snapshot, error) {
	if n.path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(n.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return []snapshot.Snapshot{}, fmt.Errorf("read which snapshots the data contain: %w", err)
	}
	noted := []snapshot.Snapshot{}
	for _, key := range strings.Fields(string(content)) {
		one, ok := snapshot.Parse(key)
		if !ok {
			return []snapshot.Snapshot{}, nil
		}
		noted = append(noted, one)
	}
	return noted, nil
}

// Write notes snapshots. The directory of the member has to exist.
func (n Note) Write(contained ...snapshot.Snapshot) error {
	if n.path == "" {
		return nil
	}
	var content strings.Builder
	for _, one := range contained {
		content.WriteString(one.Key() + "\n")
	}
	if err := atomicfile.Write(n.path, []byte(content.String()), 0o600); err != nil {
		return fmt.Errorf("note which snapshots the data contain: %w", err)
	}
	return nil
}

// Remove removes the note. It need not exist.
func (n Note) Remove() error {
	if err := os.Remove(n.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove which snapshots the data contain: %w", err)
	}
	return nil
}

// Tidy removes what writers of the note left behind that were killed. Nobody may write the note meanwhile.
func (n Note) Tidy() error {
	entries, err := os.ReadDir(filepath.Dir(n.path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if name := entry.Name(); atomicfile.IsTemporary(name) && strings.HasPrefix(name, "."+file) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(n.path), name)))
		}
	}
	if err != nil {
		return fmt.Errorf("remove temporary notes: %w", err)
	}
	return nil
}

// most bounds a note. A store that fails for a day would make thousands of names.
const most = 100

// With adds a snapshot to those of a note, the first of which is the last one that was stored. That one and the last ones stay if there are too many.
func With(noted []snapshot.Snapshot, made snapshot.Snapshot) []snapshot.Snapshot {
	out := append(slices.Clone(noted), made)
	if len(out) > most {
		out = slices.Delete(out, 1, 1+len(out)-most)
	}
	return out
}

// Has tells whether a note has a snapshot.
func Has(noted []snapshot.Snapshot, one snapshot.Snapshot) bool {
	return slices.ContainsFunc(noted, func(s snapshot.Snapshot) bool { return s.Key() == one.Key() })
}

// Generation is the highest one in a note.
func Generation(noted []snapshot.Snapshot) (highest int64) {
	for _, s := range noted {
		highest = max(highest, s.Generation)
	}
	return highest
}

// Follows tells which generation the next snapshot of an etcd has, and whether it continues the newest snapshot in the store. It does not if the data do not
// contain that one. noted is what Read returns, and current the revision of the etcd.
func Follows(noted []snapshot.Snapshot, newest snapshot.Snapshot, current int64) (generation int64, follows bool) {
	switch highest := Generation(noted); {
	case highest > newest.Generation:
		return highest, false // its first snapshot was not stored
	case noted != nil && !Has(noted, newest), current < newest.End:
		return newest.Generation + 1, false
	}
	return newest.Generation, true
}

// Newest is the snapshot in the store, which are in order, that the data have to contain. One that was made of others is not taken by an etcd: the data contain it if they
// contain the delta with the same end, which may have been deleted since.
func Newest(noted, all []snapshot.Snapshot) snapshot.Snapshot {
	newest := all[len(all)-1]
	if !newest.Compacted || Has(noted, newest) {
		return newest
	}
	for _, taken := range [][]snapshot.Snapshot{all, noted} {
		for _, s := range slices.Backward(taken) {
			if !s.Compacted && s.Generation == newest.Generation && s.End == newest.End {
				return s
			}
		}
	}
	return newest
}
