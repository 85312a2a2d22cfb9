package pod

import (
	"context"
	"errors"
	"net/netip"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/sandbox"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
)

// Try starts a sandbox without containers and ends it. The error says why sandboxes do not work on this machine. It writes below dir,
// which must be absolute and belongs to the caller.
func Try(ctx context.Context, dir string) error {
	programs, err := sandbox.Unpack(layout.Dir(dir).Programs())
	if err != nil {
		return err
	}
	spawner, err := NewSpawner(programs)
	if err != nil {
		return err
	}
	defer spawner.Stop()
	address := netip.MustParseAddr("127.64.0.2")
	p, err := spawner.Start(ctx, Config{ID: "try", Hostname: "try", Dir: filepath.Join(dir, "pod"), Network: podnet.Config{
		Address: address, Node: netip.MustParseAddr("127.64.0.1"), Landscape: []netip.Prefix{netip.PrefixFrom(address, 16).Masked()},
		Decide: func(context.Context, podnet.Protocol, netip.AddrPort) (podnet.Dial, error) {
			return nil, errors.New("nothing can be reached")
		},
	}})
	if err != nil {
		return err
	}
	p.Stop()
	return nil
}
