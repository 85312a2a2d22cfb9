package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestHandover(t *testing.T) {
	const child = "GARDENER_TEST_CHILD"
	if file := os.Getenv(child); file != "" {
		_, err := Acquire(file)
		_, inherited := os.LookupEnv(handedVariable)
		fmt.Println(err, inherited)
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // holds the lock until then
		os.Exit(0)
	}
	file := filepath.Join(t.TempDir(), "lock")
	lock, err := Acquire(file)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestHandover$")
	lock.hand(cmd)
	cmd.Env = append(cmd.Env, child+"="+file)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(lock.note(cmd.Process.Pid), lock.Release()); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-3 nobody gets the lock while a child is about to take it", func(t *testing.T) {
		if _, err := Acquire(file); !errors.Is(err, ErrRunning) {
			t.Errorf("got %v, want ErrRunning", err)
		}
	})
	said, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || strings.TrimSpace(said) != "<nil> false" {
		t.Errorf("the child says %q, %v", said, err)
	}
	t.Run("APP-3 the child holds the lock until it ends", func(t *testing.T) {
		if pid, err := Holder(file); err != nil || pid != cmd.Process.Pid {
			t.Errorf("holder is %d, %v, want %d", pid, err, cmd.Process.Pid)
		}
		if err := errors.Join(stdin.Close(), cmd.Wait()); err != nil {
			t.Error(err)
		}
		if pid, err := Holder(file); err != nil || pid != 0 {
			t.Errorf("holder is %d, %v after the end", pid, err)
		}
	})
	t.Run("a lock of another file is refused", func(t *testing.T) {
		other, err := os.Create(filepath.Join(t.TempDir(), "other"))
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(handedVariable, fmt.Sprint(other.Fd()))
		if _, err := Acquire(file); err == nil || !strings.Contains(err.Error(), "handed over") {
			t.Errorf("error is %v", err)
		}
	})
}

func TestLockOfARemovedFileIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	first, err := Acquire(file)
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan error, 1)
	go func() { // opens the file, and waits for the lock
		lock, err := Acquire(file)
		if err == nil {
			defer lock.Release()
			if pid, holderErr := Holder(file); pid != os.Getpid() || holderErr != nil {
				err = fmt.Errorf("holder of the new file is %d, %w", pid, holderErr)
			}
		}
		second <- err
	}()
	for range 20 { // long enough for the other to wait, in most runs
		if pid, err := Holder(file); err != nil || pid == 0 {
			t.Fatal(pid, err)
		}
	}
	if err := errors.Join(os.Remove(file), first.Release()); err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Error(err)
	}
}
