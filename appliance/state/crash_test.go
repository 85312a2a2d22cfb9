package state

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLastFailureOfACrash(t *testing.T) {
	p := newPaths(t)
	if err := os.RemoveAll(filepath.Dir(p.Run().Crash())); err != nil { // a daemon may be the first to make it
		t.Fatal(err)
	}
	crash, err := OpenCrash(p)
	if err != nil {
		t.Fatal(err)
	}
	defer crash.Close()
	if failure := LastFailure(p); failure != nil {
		t.Errorf("a process that runs has failed with %v", failure)
	}
	for name, tc := range map[string]struct {
		write func() error
		want  string
	}{
		"a panic is told without its stacks": {func() error {
			_, err := crash.WriteString("panic: boom\n\tagain\n\ngoroutine 1 [running]:\nmain.main()\n")
			return err
		}, "the process crashed: panic: boom again"},
		"a reason that found no room elsewhere is told": {func() error { return NoteCrash(crash, errors.New("etcd: no space left")) }, "etcd: no space left"},
	} {
		t.Run("APP-3 "+name, func(t *testing.T) {
			if err := crash.Truncate(0); err != nil {
				t.Fatal(err)
			}
			if _, err := crash.Seek(0, 0); err != nil {
				t.Fatal(err)
			}
			if err := tc.write(); err != nil {
				t.Fatal(err)
			}
			if failure := LastFailure(p); failure == nil || failure.Error() != tc.want {
				t.Errorf("the reason is %v, want %q", failure, tc.want)
			}
			if err := NoteFailure(p, errors.New("another reason")); err != nil {
				t.Fatal(err)
			}
			if failure := LastFailure(p); failure == nil || failure.Error() != "another reason" {
				t.Errorf("the reason is %v", failure)
			}
			if err := NoteFailure(p, nil); err != nil {
				t.Fatal(err)
			}
		})
	}
	again, err := OpenCrash(p)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if failure := LastFailure(p); failure != nil {
		t.Errorf("a new start remembers %v", failure)
	}
}
