package node

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/gardener-up/gardener-up/embedded/node/pods"
	"github.com/gardener-up/gardener-up/embedded/node/probes"
	"github.com/gardener-up/gardener-up/embedded/node/runtime"
)

// probeOf returns the probe that a command stands for, or nil.
func probeOf(argv []string) (runtime.Probe, error) {
	probe, ok, err := pods.ProbeOf(argv)
	if !ok || err != nil {
		return nil, err
	}
	return func(ctx context.Context, address netip.Addr, dial func(context.Context, uint16) (net.Conn, error), timeout time.Duration) (bool, string, error) {
		return probes.Run(ctx, probe, probes.Pod{Address: address, Dial: dial}, timeout)
	}, nil
}
