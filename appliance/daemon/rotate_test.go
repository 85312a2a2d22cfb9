package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// writerVariable makes the test binary a process that logs into the directory it names.
const writerVariable = "TEST_LOG_DIR"

func testLog(dir string) Log {
	return Log{
		File: filepath.Join(dir, "a.log"), Keep: 2, Size: 1000,
		Older: func(n int) string { return filepath.Join(dir, fmt.Sprintf("a.%d.log", n)) },
	}
}

// TestLogWriter is no test but the process whose log TestRotate looks at.
func TestLogWriter(t *testing.T) {
	dir := os.Getenv(writerVariable)
	if dir == "" {
		t.Skip("runs as a process of TestRotate")
	}
	ctx, cancel := signal.NotifyContext(t.Context(), syscall.SIGTERM)
	defer cancel()
	rotated := make(chan error, 1)
	go func() { rotated <- testLog(dir).Rotate(ctx) }()
	for n := 0; ctx.Err() == nil; n++ {
		fmt.Fprintf(os.Stderr, "%05d %s\n", n, strings.Repeat("x", 50))
		time.Sleep(10 * time.Millisecond)
	}
	if err := <-rotated; err != nil {
		t.Error(err)
	}
	os.Exit(0) // what the testing package prints is no line of the log
}

func TestRotate(t *testing.T) {
	dir := t.TempDir()
	log := testLog(dir)
	file, err := os.Create(log.File)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	writer := exec.Command(os.Args[0], "-test.run=^TestLogWriter$")
	writer.Env = append(os.Environ(), writerVariable+"="+dir)
	writer.Stdout, writer.Stderr = file, file
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Process.Kill(); _ = writer.Wait() }()

	testwait.Until(t, "the log is rotated twice", func() error {
		text, err := os.ReadFile(log.Older(2))
		if err == nil && !strings.Contains(string(text), "\n") {
			err = errors.New("the oldest file has no line")
		}
		return err
	})
	// A killed writer could leave off between two renames.
	if err := writer.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := writer.Wait(); err != nil {
		t.Fatal(err)
	}
	next := -1
	for _, name := range []string{log.Older(2), log.Older(1), log.File} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var n int
			if _, err := fmt.Sscanf(line, "%05d ", &n); err != nil {
				t.Fatalf("line %q: %v", line, err)
			}
			if next >= 0 && n != next {
				t.Errorf("line %d comes after line %d", n, next-1)
			}
			next = n + 1
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("files %v, %v", entries, err)
	}

	t.Run("the next start keeps one log of the last one", func(t *testing.T) {
		previous := filepath.Join(dir, "previous.log")
		if err := log.Restart(previous); err != nil {
			t.Fatal(err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != "previous.log" {
			t.Errorf("files %v, %v", entries, err)
		}
		if err := log.Restart(previous); err != nil {
			t.Errorf("without a log: %v", err)
		}
	})
}
