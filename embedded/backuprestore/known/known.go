// Package known notes inside the data directory of an etcd which snapshot of the etcd is the newest that these data contain. The note goes where the data
// go. So old data that somebody puts back are known by their old note, however many revisions they have got since.
//
// The note is written before the snapshot has its name in the store. So data contain a snapshot that they do not note only if their etcd is older than
// notes, or if the note could not be written, which costs a full snapshot. They may note snapshots that were never stored.
package known

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// Read returns the snapshot in the note, nil if there is no note. A note that somebody has damaged, or that cannot be read, names the snapshot before all
// others: the data then count as put back, which costs a full snapshot. An error says why it cannot be read.
func (n Note) Read() (*snapshot.Snapshot, error) {
	if n.path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(n.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return &snapshot.Snapshot{}, fmt.Errorf("read which snapshots the data contain: %w", err)
	}
	noted, ok := snapshot.Parse(strings.TrimSpace(string(content)))
	if !ok {
		return &snapshot.Snapshot{}, nil
	}
	return &noted, nil
}

// Write notes a snapshot. The directory of the member has to exist.
func (n Note) Write(newest snapshot.Snapshot) error {
	if n.path == "" {
		return nil
	}
	if err := atomicfile.Write(n.path, []byte(newest.Key()+"\n"), 0o600); err != nil {
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

// Follows tells which generation the next snapshot of an etcd has, and whether it continues the newest snapshot in the store. It does not if the data do not
// contain that one. noted is what Read returns, and current the revision of the etcd.
func Follows(noted *snapshot.Snapshot, newest snapshot.Snapshot, current int64) (generation int64, follows bool) {
	switch {
	case noted != nil && noted.Generation > newest.Generation:
		return noted.Generation, false // its first snapshot was not stored
	case noted != nil && (noted.Generation < newest.Generation || snapshot.Compare(newest, *noted) > 0):
		return newest.Generation + 1, false
	case current < newest.End:
		return newest.Generation + 1, false
	}
	return newest.Generation, true
}
