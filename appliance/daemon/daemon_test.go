package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/appliance/component"
)

func TestLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	if pid, err := Holder(file); pid != 0 || err != nil {
		t.Fatalf("holder without a file = %d, %v", pid, err)
	}
	lock, err := Acquire(file)
	if err != nil {
		t.Fatal(err)
	}
	if pid, err := Holder(file); pid != os.Getpid() || err != nil {
		t.Errorf("holder = %d, %v", pid, err)
	}
	if _, err := Acquire(file); !errors.Is(err, ErrRunning) {
		t.Errorf("second lock: got %v, want ErrRunning", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if pid, err := Holder(file); pid != 0 || err != nil {
		t.Errorf("holder after release = %d, %v", pid, err)
	}
}

// A command looks at the lock by holding it for an instant. That must not keep a daemon from starting.
func TestLookingAtTheLockDoesNotBlockIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	if lock, err := Acquire(file); err != nil || lock.Release() != nil {
		t.Fatal(err)
	}
	looker, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(looker.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = looker.Close() })
	lock, err := Acquire(file)
	if err != nil {
		t.Fatalf("a look blocks the start: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestControl(t *testing.T) {
	for name, dir := range map[string]string{
		"in a usual directory":                       "run",
		"below a path longer than a socket's may be": filepath.Join(strings.Repeat("d", 100), "run"),
	} {
		t.Run(name, func(t *testing.T) {
			socket := filepath.Join(t.TempDir(), dir, "control.sock")
			if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
				t.Fatal(err)
			}
			ready := make(chan bool, 1)
			stopped := make(chan struct{})
			control, err := Serve(socket, Handlers{Report: func() Report {
				select {
				case <-ready:
					return Report{Ready: true, Parts: []component.Status{{Name: "etcd"}}}
				default:
					return Report{}
				}
			}, Stop: func() { close(stopped) }, StopPart: func(_ context.Context, name string) error {
				return map[string]error{"scheduler": nil, "etcd": component.ErrFixedPart, "nobody": component.ErrUnknownPart}[name]
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer control.Close()

			client := NewClient(socket)
			var seen []bool
			err = client.Watch(t.Context(), func(r *Report) bool {
				if seen = append(seen, r.Ready); r.Ready {
					return false
				}
				ready <- true
				control.Changed()
				return true
			})
			if err != nil || len(seen) < 2 || !seen[len(seen)-1] {
				t.Errorf("watch saw %v, %v", seen, err)
			}
			if err := client.StopPart(t.Context(), "scheduler"); err != nil {
				t.Errorf("stop a part: %v", err)
			}
			if err := client.StopPart(t.Context(), "nobody"); !errors.Is(err, component.ErrUnknownPart) {
				t.Errorf("stop an unknown seed: %v", err)
			}
			if err := client.StopPart(t.Context(), "etcd"); err == nil || !strings.Contains(err.Error(), component.ErrFixedPart.Error()) {
				t.Errorf("stop a part that others need: %v", err)
			}
			if err := client.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-stopped
		})
	}
}
