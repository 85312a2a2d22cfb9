package frontdoor_test

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// servers are alternatives that a test chooses.
type servers []string

func (servers) Run(ctx context.Context) error { <-ctx.Done(); return nil }

func (s servers) Of(context.Context, frontdoor.Destination) ([]string, bool) { return s, true }

// frozen accepts connections, reads what comes, and says nothing: a node whose processes are stopped.
func frozen(t *testing.T) string {
	t.Helper()
	address, _ := counted(t)
	return address
}

// counted is frozen, and counts the connections.
func counted(t *testing.T) (string, *atomic.Int32) {
	t.Helper()
	var count atomic.Int32
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}()
		}
	}()
	return l.Addr().String(), &count
}

// gone refuses connections.
func gone(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	return l.Addr().String()
}

// cutOff is a front door that reaches nothing, and says so by an alert.
func cutOff(t *testing.T) string {
	t.Helper()
	_, address := open(t, frontdoor.Config{Routes: map[string]string{"shoot.test": gone(t)}})
	return address
}

func TestAlternatives(t *testing.T) {
	p := newParty(t)
	alive := p.backend(t, "alive", "shoot.test")
	for name, tc := range map[string]struct {
		servers servers
		found   bool
	}{
		"no server is lost":               {servers{alive, frozen(t)}, true},
		"one refuses connections":         {servers{gone(t), alive}, true},
		"one is silent":                   {servers{frozen(t), alive}, true},
		"one reaches nothing":             {servers{cutOff(t), alive}, true},
		"all but the last are lost":       {servers{frozen(t), gone(t), cutOff(t), alive}, true},
		"all are lost":                    {servers{gone(t), gone(t)}, false},
		"all are lost and one can say so": {servers{cutOff(t), gone(t)}, false},
	} {
		t.Run("SNI-7 "+name, func(t *testing.T) {
			_, address := open(t, frontdoor.Config{Routes: map[string]string{"shoot.test": gone(t)}, Alternatives: tc.servers})
			for range 2 { // the second connection knows which server was lost
				conn, err := p.dial(t, address, "shoot.test")
				if (err == nil) != tc.found {
					t.Fatalf("connected: %v, want %v", err, tc.found)
				}
				if err == nil {
					if got := say(t, conn, "hello"); got != "alive jane hello" {
						t.Errorf("answer %q", got)
					}
				}
			}
		})
	}
	t.Run("SNI-7 a server that did not answer is asked last", func(t *testing.T) {
		silent, asked := counted(t)
		_, address := open(t, frontdoor.Config{Routes: map[string]string{"shoot.test": gone(t)}, Alternatives: servers{silent, alive}})
		for range 5 {
			p.ask(t, address, "shoot.test")
		}
		if got := asked.Load(); got == 0 || got == 5 {
			t.Errorf("the silent server was asked %d times", got)
		}
	})
}
