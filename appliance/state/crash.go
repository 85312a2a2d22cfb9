package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

const (
	// maxCrash is how much of a crash is told.
	maxCrash = 1000
	// crashRoom is reserved for a crash, which may come because the disk is full.
	crashRoom = 64 << 10
	// keepSize is FALLOC_FL_KEEP_SIZE: the file does not become larger.
	keepSize = 1
	// noted begins what is no crash.
	noted = "ended: "
)

// OpenCrash makes the file for what a crash of this process says, and its directory. It forgets the last crash.
func OpenCrash(p paths.Paths) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(p.Run().Crash()), 0o700); err != nil {
		return nil, fmt.Errorf("open file for crashes: %w", err)
	}
	file, err := os.OpenFile(p.Run().Crash(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open file for crashes: %w", err)
	}
	_ = syscall.Fallocate(int(file.Fd()), keepSize, 0, crashRoom) // not all file systems can
	return file, nil
}

// NoteCrash writes a reason that NoteFailure cannot write.
func NoteCrash(file *os.File, err error) error {
	_, failure := fmt.Fprintf(file, "%s%v\n", noted, err)
	return failure
}

// crash is what the runtime wrote when the process crashed, without the stacks of its goroutines, or what NoteCrash wrote.
func crash(p paths.Paths) error {
	text, err := os.ReadFile(p.Run().Crash())
	if err != nil || len(text) == 0 {
		return nil
	}
	said, _, _ := strings.Cut(string(text), "\ngoroutine ")
	said = strings.Join(strings.Fields(said[:min(len(said), maxCrash)]), " ")
	if reason, found := strings.CutPrefix(said, noted); found {
		return errors.New(reason)
	}
	return fmt.Errorf("the process crashed: %s", said)
}
