package podnetwork_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/embedded/node/podnetwork"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/peers"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// serve serves the pods of a node, which are its responder only.
func serve(t *testing.T, dir string, pods netip.Prefix) (local func(netip.Addr) (reach.Pod, bool), end func()) {
	t.Helper()
	local = func(address netip.Addr) (reach.Pod, bool) {
		return podnetwork.Responder(address), address == podnetwork.ResponderOf(pods)
	}
	server, err := peers.Serve(dir, pods, local)
	if err != nil {
		t.Fatal(err)
	}
	return local, server.Close
}

func TestTry(t *testing.T) {
	env, err := testenv.Start(testenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(env.Stop)
	apiServer, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer apiServer.Close()
	own, other, dir := netip.MustParsePrefix("127.128.0.0/25"), netip.MustParsePrefix("127.128.0.128/25"), t.TempDir()
	local, endOwn := serve(t, dir, own)
	_, endOther := serve(t, dir, other)
	defer endOwn()
	defer endOther()
	config := podnetwork.Config{
		Servers: map[types.NamespacedName]string{{Namespace: "default", Name: "kubernetes"}: apiServer.Addr().String()}, NameServers: []netip.Addr{nameServer}, Peers: dir, Log: logr.Discard(),
	}
	network := podnetwork.New(config, local)
	others := []netip.Addr{podnetwork.ResponderOf(other)}
	try := func(t *testing.T) podnetwork.Trial {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		return network.Try(ctx, podnetwork.ResponderOf(own), others)
	}
	t.Run("NWX-4 a network that does not know the cluster works in nothing", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if trial := network.Try(ctx, podnetwork.ResponderOf(own), nil); trial.Serves == nil || trial.Names == nil || trial.Pods == nil || trial.Services == nil {
			t.Errorf("trial %+v", trial)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- network.Run(ctx, env.Config) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Run("NWX-4 everything works", func(t *testing.T) {
		if trial := try(t); trial != (podnetwork.Trial{}) {
			t.Errorf("trial %+v", trial)
		}
	})
	t.Run("NWX-4 a Service whose server does not run", func(t *testing.T) {
		_ = apiServer.Close()
		trial := try(t)
		if err := trial.Services; err == nil || !strings.Contains(err.Error(), "Service kubernetes") {
			t.Errorf("Services: %v", err)
		}
		if trial.Services = nil; trial != (podnetwork.Trial{}) {
			t.Errorf("the rest: %+v", trial)
		}
	})
	t.Run("NWX-4 a node that hands over no connections", func(t *testing.T) {
		endOther()
		trial := try(t)
		if err := trial.Pods; err == nil || !strings.Contains(err.Error(), "pods at 127.128.0.128") || strings.Contains(err.Error(), "pods at 127.128.0.0") {
			t.Errorf("pods: %v", err)
		}
		if trial.Serves != nil || trial.Names != nil {
			t.Errorf("the rest: %+v", trial)
		}
	})
	t.Run("NWX-4 a node that others do not reach", func(t *testing.T) {
		endOwn()
		if err := try(t).Serves; err == nil || errors.Is(err, podnetwork.ErrNothing) {
			t.Errorf("serves: %v", err)
		}
	})
}
