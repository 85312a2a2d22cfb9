package framework

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Processes returns the command lines of all processes that belong to the landscape, by process id: those whose
// working directory or command line is below the state directory.
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

// Daemon returns the process id of the landscape's daemon, 0 when it does not run.
func (l *Landscape) Daemon() int {
	for pid, text := range l.Processes() {
		if strings.Contains(text, " daemon ") {
			return pid
		}
	}
	return 0
}

// Eventually polls until check returns true, and fails the test with what it said last when the time is over.
func (l *Landscape) Eventually(timeout time.Duration, what string, check func() (bool, string)) {
	l.t.Helper()
	said := ""
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		ok, text := check()
		if ok {
			return
		}
		said = text
	}
	l.t.Fatalf("%s: not within %s: %s", what, timeout, said)
}

// dump prints what helps to understand a failure.
func (l *Landscape) dump() {
	if l.Daemon() != 0 {
		for _, args := range [][]string{{"get", "shoots,seeds", "-A", "-o", "wide"}} {
			r := l.TryKubectl(l.Garden(), args...)
			l.t.Logf("garden: kubectl %s\n%s%s", strings.Join(args, " "), r.Stdout, r.Stderr)
		}
		r := l.TryKubectl(l.Seed(), "get", "pods", "-A", "-o", "wide")
		l.t.Logf("seed: kubectl get pods\n%s%s", r.Stdout, r.Stderr)
	}
	text, err := os.ReadFile(filepath.Join(l.StateDir, "logs", "gardener.log"))
	if err == nil {
		lines := strings.Split(string(text), "\n")
		l.t.Logf("end of the log:\n%s", strings.Join(lines[max(0, len(lines)-60):], "\n"))
	}
}
