package noexec

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

const child = "NOEXEC_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		os.Exit(m.Run())
	}
	if err := Forbid(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for range 20 { // on different threads
		done := make(chan error)
		go func() { done <- exec.Command("/proc/self/exe").Run() }()
		if err := <-done; !errors.Is(err, unix.EPERM) {
			fmt.Printf("a program starts: %v\n", err)
			os.Exit(1)
		}
	}
	if _, err := os.ReadFile("/proc/self/status"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("no program starts")
	if err := ForbidRemoval(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	dir := os.Getenv(child)
	for range 20 {
		done := make(chan error)
		go func() { done <- errors.Join(os.Remove(filepath.Join(dir, "file")), os.RemoveAll(dir)) }()
		if err := <-done; !errors.Is(err, unix.EPERM) {
			fmt.Printf("a file is removed: %v\n", err)
			os.Exit(1)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "other"), nil, 0o600); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("no file is removed")
}

func TestForbid(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	dir := filepath.Join(t.TempDir(), "dir")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), child+"="+dir)
	output, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "no program starts") || !strings.Contains(string(output), "no file is removed") {
		t.Errorf("APP-19 %v: %s", err, output)
	}
}
