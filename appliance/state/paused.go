package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// Pause is the note of a landscape that is paused. It is only written and removed with the lock of the landscape, and each start removes it.
type Pause struct {
	Since   time.Time `json:"since"`
	Version string    `json:"version"` // of the binary
	// Boot identifies the run of the system.
	Boot string `json:"boot,omitempty"`
}

// NewPause is a pause that begins now.
func NewPause(version string) Pause {
	return Pause{Since: time.Now().UTC().Truncate(time.Second), Version: version, Boot: boot()}
}

// Short tells whether neither the system nor the binary has changed since the pause began, so that what worked before it works still.
func (p Pause) Short(version string) bool {
	return p.Boot != "" && p.Boot == boot() && p.Version == version
}

// boot is empty where it cannot be found out.
func boot() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}

// NotePaused notes that a landscape that does not run is paused. The error is daemon.ErrRunning if it runs.
func NotePaused(p paths.Paths, pause Pause) error {
	text, err := json.Marshal(pause)
	if err != nil {
		return err
	}
	return locked(p, func() error { return atomicfile.Write(paths.Paused(p), text, 0o600) })
}

// ForgetPaused makes a paused landscape one that is stopped. paused is false if it was not paused.
func ForgetPaused(p paths.Paths) (paused bool, _ error) {
	if _, paused := Paused(p); !paused {
		return false, nil
	}
	return true, locked(p, func() error { return noPause(p) })
}

// noPause is for those who hold the lock.
func noPause(p paths.Paths) error {
	if err := os.Remove(paths.Paused(p)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("forget that the landscape is paused: %w", err)
	}
	return nil
}

// Paused tells whether a landscape that does not run is paused. A damaged note counts, without a time.
func Paused(p paths.Paths) (Pause, bool) {
	var pause Pause
	text, err := os.ReadFile(paths.Paused(p))
	if err != nil {
		return pause, false
	}
	_ = json.Unmarshal(text, &pause)
	return pause, true
}

func locked(p paths.Paths, do func() error) error {
	lock, err := daemon.Acquire(p.Lock())
	if err != nil {
		return err
	}
	return errors.Join(do(), lock.Release())
}
