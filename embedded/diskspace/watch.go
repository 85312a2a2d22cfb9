// Package diskspace watches how much of the disk of a directory is free, so that writes are refused before the disk is full: an
// etcd whose disk is full ends, and its process with it. It frees nothing.
package diskspace

import (
	"fmt"
	"sync"
	"syscall"
	"time"
)

// Limits of the free bytes. Between the two of a pair nothing changes, so that users are not refused and admitted in turns.
const (
	warned = 256 << 20
	// Below the first, only components and operators write; from the second on everybody does. An etcd reserves 64 MB for each
	// file of its log at a time.
	refused, admitted = 128 << 20, 192 << 20
	// Below the first, all writes are refused.
	lastRefused, lastAdmitted = 32 << 20, 64 << 20
)

// age of an answer of the system that is used again.
const age = 500 * time.Millisecond

// Watch watches one disk. Its methods may be called from many goroutines.
type Watch struct {
	dir  string
	name string // of the disk, for users
	free func(dir string) (int64, error)
	now  func() time.Time

	mu       sync.Mutex
	at       time.Time
	left     int64 // bytes; the last known number
	low      bool  // users are refused
	veryLow  bool  // everybody is
	lookedAt bool
}

// New watches the disk that a directory of the landscape is on.
func New(dir string) *Watch { return Named(dir, "the landscape's disk") }

// Named watches the disk that a directory is on, and tells users of it by the name.
func Named(dir, name string) *Watch { return &Watch{dir: dir, name: name, free: Free, now: time.Now} }

// Free is how many bytes an ordinary user may fill on the disk of a directory.
func Free(dir string) (int64, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, err
	}
	return int64(fs.Bavail) * int64(fs.Bsize), nil //nolint:unconvert // the types differ between systems
}

// Low is nil while there is room for everybody, or at least for those who are essential. Otherwise the error says how much is free.
func (w *Watch) Low(essential bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.look()
	switch {
	case w.veryLow:
		return fmt.Errorf("only %s of %s are free, and nobody may write until %d MiB are", about(w.left), w.name, lastAdmitted>>20)
	case w.low && !essential:
		return fmt.Errorf("only %s of %s are free, and users may not write until %d MiB are", about(w.left), w.name, admitted>>20)
	}
	return nil
}

// Warning says that the disk fills. refuses is true if some writes are refused because of it.
func (w *Watch) Warning() (text string, refuses bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.look()
	switch {
	case w.veryLow:
		return fmt.Sprintf("the disk of %s is full: %s are free; until %d MiB are, objects can only be deleted", w.dir, about(w.left), lastAdmitted>>20), true
	case w.low:
		return fmt.Sprintf("the disk of %s is nearly full: %s are free; until %d MiB are, users can only delete", w.dir, about(w.left), admitted>>20), true
	case w.lookedAt && w.left < warned:
		return fmt.Sprintf("the disk of %s fills: %s are free; below %d MiB users can only delete", w.dir, about(w.left), refused>>20), false
	}
	return "", false
}

// look asks the system. A value that cannot be read keeps its last state.
func (w *Watch) look() {
	now := w.now()
	if w.lookedAt && now.Sub(w.at) < age {
		return
	}
	left, err := w.free(w.dir)
	if err != nil {
		return
	}
	w.at, w.left, w.lookedAt = now, left, true
	w.low = left < refused || w.low && left < admitted
	w.veryLow = left < lastRefused || w.veryLow && left < lastAdmitted
}

// about rounds to 10 MiB, so that a text does not change all the time.
func about(bytes int64) string {
	if bytes < 10<<20 {
		return "less than 10 MiB"
	}
	return fmt.Sprintf("about %d MiB", bytes>>20/10*10)
}
