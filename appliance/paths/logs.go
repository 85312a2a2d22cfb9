package paths

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Logs is the directory of the daemon's log files.
type Logs struct{ dir string }

// Current is the log file of the present start of the daemon.
func (l Logs) Current() string { return filepath.Join(l.dir, "gardener.log") }

// Previous is the log of the previous start.
func (l Logs) Previous() string { return filepath.Join(l.dir, "gardener.previous.log") }

// Older is the n-th older file of the present start's log, from 1 on. It exists only when the log was large enough.
func (l Logs) Older(n int) string { return OlderLogOf(l.Current(), n) }

// OlderLogOf is the n-th older file of the log file named.
func OlderLogOf(log string, n int) string {
	return fmt.Sprintf("%s.%d.log", strings.TrimSuffix(log, ".log"), n)
}
