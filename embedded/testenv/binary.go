package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
)

// EnvBinary names the environment variable with the binary to use instead of building one.
const EnvBinary = "GARDENER_BIN"

// Binary returns the path of the binary whose components are started: $GARDENER_BIN, or else bin/testenv/gardener below
// the root of the module, which it builds from cmd/gardener. Concurrent test processes build one after the other; only
// the first has anything to do.
func Binary() (string, error) {
	if path := os.Getenv(EnvBinary); path != "" {
		_, err := os.Stat(path) // without this the go command would reuse cached test results for a new binary
		if err != nil {
			return "", fmt.Errorf("find $%s: %w", EnvBinary, err)
		}
		return filepath.Abs(path)
	}
	return build()
}

// NextVersion is the version of NextBinary.
const NextVersion = "v99.0.0-next"

// NextBinary builds a newer release of this code, bin/testenv/next/gardener: another version, whose state directory has a
// newer format. It takes the time to link a binary once more.
func NextBinary() (string, error) {
	return makeBinary("next", "VERSION="+NextVersion, "TAGS=nextformat")
}

var build = sync.OnceValues(func() (string, error) { return makeBinary("") })

// makeBinary builds the binary in a directory below bin/testenv with variables of the Makefile.
func makeBinary(below string, variables ...string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "bin", "testenv", below)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make directory for the binary: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", fmt.Errorf("open lock: %w", err)
	}
	defer func() { _ = lock.Close() }() // unlocks
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("lock the build: %w", err)
	}
	binary := filepath.Join(dir, "gardener")
	cmd := exec.Command("make", append([]string{"build", "BINARY=" + binary}, variables...)...) // the Makefile sets the versions in the binary
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the binary: %w\n%s", err, output)
	}
	return binary, nil
}

// moduleRoot is the nearest directory with a go.mod above the working directory, which is that of the tested package.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the working directory; set %s", EnvBinary)
		}
		dir = parent
	}
}
