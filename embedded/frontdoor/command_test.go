package frontdoor_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestCommand(t *testing.T) {
	t.Run("OPR-34 fixed routes need no cluster", func(t *testing.T) {
		p := newParty(t)
		backend, address := p.backend(t, "garden", "api.garden.test"), fmt.Sprintf("127.0.0.1:%d", testport.Free(t))
		ctx, cancel := context.WithCancel(t.Context())
		cmd := frontdoor.Command()
		cmd.SetArgs([]string{"--bind-address=" + address, "--route=api.garden.test=" + backend})
		ended := make(chan error, 1)
		go func() { ended <- cmd.ExecuteContext(ctx) }()
		testwait.For(t, 10*time.Second, "the front door serves", func() error {
			conn, err := p.dial(t, address, "api.garden.test")
			if err == nil {
				_ = conn.Close()
			}
			return err
		})
		if got := p.ask(t, address, "api.garden.test"); !strings.HasPrefix(got, "garden ") {
			t.Errorf("the answer is from %q", got)
		}
		if _, err := p.dial(t, address, "other.garden.test"); err == nil {
			t.Error("another name leads somewhere")
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for name, args := range map[string][]string{
		"a route without a port is refused":                          {"--bind-address=127.0.0.1:0", "--route=api.garden.test=127.0.0.1"},
		"tunnels need a cluster, and fixed routes alone are refused": {"--route=api.garden.test=127.0.0.1:1", "--tunnel-address=127.0.0.1:0"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := frontdoor.Command()
			cmd.SetArgs(args)
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "route") {
				t.Error(err)
			}
		})
	}
}
