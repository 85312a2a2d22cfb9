package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// limit bounds the memory that a process may have for its data, 0 is no limit, and raises its oom_score_adj: the kernel ends the process
// with the highest score when the machine has no memory left. A process that is refused memory ends by itself.
func limit(pid int, data uint64, oomScore int64) error {
	var errs []error
	if err := raiseScore(fmt.Sprintf("/proc/%d/oom_score_adj", pid), oomScore); err != nil {
		errs = append(errs, fmt.Errorf("raise score: %w", err))
	}
	if data > 0 {
		if err := unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: data, Max: data}, nil); err != nil {
			errs = append(errs, fmt.Errorf("limit memory: %w", err))
		}
	}
	return errors.Join(errs...)
}

// raiseScore does not lower a score, which ordinary users must not.
func raiseScore(file string, score int64) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	present, err := strconv.ParseInt(string(bytes.TrimSpace(content)), 10, 64)
	if err != nil || present >= score {
		return err
	}
	return os.WriteFile(file, strconv.AppendInt(nil, score, 10), 0)
}
