package self_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/self"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

const child = "SELF_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(child) {
	case "":
		os.Exit(m.Run())
	case "replaced": // replaces its own file and starts itself again
		if err := replace(os.Args[1]); err != nil {
			os.Stdout.WriteString(err.Error())
			os.Exit(1)
		}
		path, err := self.Path()
		if err != nil {
			os.Stdout.WriteString(err.Error())
			os.Exit(1)
		}
		cmd := exec.Command(path)
		cmd.Env = []string{child + "=last"}
		cmd.Stdout = os.Stdout
		if err := cmd.Run(); err != nil {
			os.Stdout.WriteString(err.Error())
			os.Exit(1)
		}
	case "last":
		os.Stdout.WriteString("the former binary")
	}
}

func replace(file string) error {
	if err := os.Remove(file); err != nil {
		return err
	}
	return os.WriteFile(file, []byte("#!/bin/sh\necho the new binary\n"), 0o755)
}

func TestPathAfterTheFileWasReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "program")
	if err := copyOf(file); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(file, file)
	cmd.Env = []string{child + "=replaced"}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "the former binary" {
		t.Errorf("APP-6 the child is %q, %v", out, err)
	}
}

func TestSetName(t *testing.T) {
	const file = "/proc/self/comm"
	before, err := os.ReadFile(file)
	if err != nil {
		testskip.OutsideCI(t, "this system has no "+file)
	}
	t.Cleanup(func() { self.SetName(strings.TrimSpace(string(before))) })
	self.SetName("somebody")
	if got, _ := os.ReadFile(file); strings.TrimSpace(string(got)) != "somebody" {
		t.Errorf("the process is called %s", got)
	}
}

func copyOf(file string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	source, err := os.Open(own)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		return err
	}
	return target.Close()
}
