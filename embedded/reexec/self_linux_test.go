package reexec

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stageVariable tells the test binary which program it is: before, or after it has started again.
const stageVariable = "GARDENER_TEST_STAGE"

// process is what a program knows about its process.
type process struct {
	PID         int
	Args        []string
	DeathSignal int32
}

func TestMain(m *testing.M) {
	switch os.Getenv(stageVariable) {
	case "":
		os.Exit(m.Run())
	case "before":
		tell()
		_ = os.Setenv(stageVariable, "after")
		failed := make(chan error)
		go func() { failed <- Self() }() // not on the first thread
		fmt.Fprintln(os.Stderr, <-failed)
		os.Exit(1)
	default:
		tell()
	}
}

func tell() {
	_ = json.NewEncoder(os.Stdout).Encode(process{os.Getpid(), os.Args[1:], deathSignal})
}

func TestSelf(t *testing.T) {
	runtime.LockOSThread() // the end of the thread would be the end of the parent
	defer runtime.UnlockOSThread()
	cmd := exec.Command(os.Args[0], "one", "two")
	cmd.Env = append(os.Environ(), stageVariable+"=before")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var got [2]process
	for decoder, i := json.NewDecoder(output), 0; i < len(got); i++ {
		if err := decoder.Decode(&got[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	want := process{cmd.Process.Pid, []string{"one", "two"}, int32(syscall.SIGKILL)}
	if diff := cmp.Diff([2]process{want, want}, got); diff != "" {
		t.Errorf("processes before and after (-want +got):\n%s", diff)
	}
}
