package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Processes returns the command lines of all processes of the landscape by process ID: those whose working directory
// or command line is below the state directory.
func (l *Landscape) Processes() map[int]string {
	found := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		cmdline, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(cmdline) == 0 {
			continue // gone, or a zombie
		}
		text := strings.TrimSpace(string(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '})))
		cwd, _ := os.Readlink(filepath.Join(dir, "cwd"))
		if strings.Contains(text, l.StateDir) || strings.HasPrefix(cwd, l.StateDir) {
			found[pid] = text
		}
	}
	return found
}

// Daemon returns the process ID of the landscape's daemon, or 0 if it does not run.
func (l *Landscape) Daemon() int {
	for pid, text := range l.Processes() {
		if strings.Contains(text, " daemon ") && !strings.Contains(text, "--cluster-of=") { // the others belong to further seeds
			return pid
		}
	}
	return 0
}
