package peer

import (
	"fmt"
	"net"
	"strconv"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
	"github.com/gardener-up/gardener-up/hack/bench/procs"
)

func TestPeer(t *testing.T) {
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(binary, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, start := range []string{"cold start", "restart with state"} {
		t.Run(start, func(t *testing.T) {
			took, err := p.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			pids := p.PIDs()
			if took <= 0 || len(pids) != 2 {
				t.Errorf("ready after %s with processes %v", took, pids)
			}
			if _, err := procs.MemoryOf(pids); err != nil {
				t.Error(err)
			}
			if err := p.Stop(); err != nil {
				t.Fatal(err)
			}
			if m, err := procs.MemoryOf(pids); err == nil {
				t.Errorf("something is left after the stop: %+v", m)
			}
		})
	}
}

func TestEtcd(t *testing.T) {
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	for name, backups := range map[string]Backups{"without backups": Without, "with backups": With} {
		t.Run(name, func(t *testing.T) {
			p, err := Etcd(t.Context(), binary, t.TempDir(), backups)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
			})
			testwait.Until(t, "snapshots if they are wanted", func() error {
				if made, err := p.Snapshots(); err != nil || (len(made) > 0) != bool(backups) {
					return fmt.Errorf("%d snapshots, %w", len(made), err)
				}
				return nil
			})
			if pids := p.PIDs(); len(pids) != 1 {
				t.Errorf("processes %v", pids)
			}
		})
	}
}

func TestPeerThatCannotStart(t *testing.T) {
	binary, err := testenv.Binary()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(binary, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	p.member = "127.0.0.1:" + strconv.Itoa(busy.Addr().(*net.TCPAddr).Port)
	if took, err := p.Start(t.Context()); err == nil {
		t.Errorf("etcd started after %s without its port", took)
	}
	if pids := p.PIDs(); len(pids) > 0 {
		t.Errorf("processes %v are left after a start that failed", pids)
	}
}
