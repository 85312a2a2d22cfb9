package own

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/embedded/testskip"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// newProcess runs a script; it needs the right to make mount namespaces, as the daemon has.
func newProcess(t *testing.T, script string, left error) *process {
	t.Helper()
	p := &process{
		name: "test", why: func() error { return left }, ready: func(context.Context) (string, error) { return "", nil },
		child: func() (daemon.Child, error) {
			return daemon.Child{Executable: "/bin/sh", Args: []string{"-c", script}, LogFile: filepath.Join(t.TempDir(), "log")}, nil
		},
	}
	if err := p.Start(t.Context()); err != nil {
		testskip.OutsideCI(t, "no namespaces here: ", err)
	}
	return p
}

func TestProcess(t *testing.T) {
	limited, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	t.Run("one that is asked ends without an error", func(t *testing.T) {
		p := newProcess(t, "exec sleep 100", nil)
		if err := p.Stop(limited); err != nil {
			t.Error(err)
		}
		select {
		case <-p.Done():
		default:
			t.Error("it is not done")
		}
	})
	t.Run("one that does not listen is killed", func(t *testing.T) {
		trapped := filepath.Join(t.TempDir(), "trapped")
		p := newProcess(t, "trap '' TERM; echo >"+trapped+"; while :; do sleep 0.1; done", nil)
		testwait.Until(t, "the process runs", func() error { _, err := os.Stat(trapped); return err })
		soon, cancel := context.WithTimeout(t.Context(), killAfter+200*time.Millisecond)
		defer cancel()
		if err := p.Stop(soon); err != nil {
			t.Error(err)
		}
	})
	t.Run("one that ends by itself tells why, and may be started again", func(t *testing.T) {
		left := errors.New("the address is in use")
		p := newProcess(t, "exit 3", left)
		<-p.Done()
		if err := p.Stop(limited); !errors.Is(err, left) {
			t.Errorf("got %v", err)
		}
		if err := p.Start(t.Context()); err != nil {
			t.Error(err)
		}
		<-p.Done()
	})
}
