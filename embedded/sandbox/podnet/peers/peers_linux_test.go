package peers_test

import (
	"context"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/peers"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
)

var (
	pods   = netip.MustParsePrefix("127.128.0.128/25")
	known  = netip.MustParseAddr("127.128.0.130")
	source = netip.MustParseAddr("127.128.1.2")
)

// server is a pod that notes who asks for it and leads to a server of the test.
type server struct {
	address string
	from    chan netip.Addr
}

func (s server) Dial(ctx context.Context, protocol podnet.Protocol, _ uint16, source netip.Addr) (net.Conn, error) {
	s.from <- source
	var dialer net.Dialer
	return dialer.DialContext(ctx, string(protocol), s.address)
}

func TestPeers(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			_, _ = io.Copy(conn, conn)
			_ = conn.Close()
		}
	}()
	dir := filepath.Join(t.TempDir(), strings.Repeat("a-long-name", 12), "cluster") // longer than the address of a socket
	pod := server{listener.Addr().String(), make(chan netip.Addr, 1)}
	node, err := peers.Serve(dir, pods, func(address netip.Addr) (reach.Pod, bool) { return pod, address == known })
	if err != nil {
		t.Fatal(err)
	}
	t.Run("APP-13 a connection to a pod of another node is handed over", func(t *testing.T) {
		found, ok := peers.Find(dir, known)
		if !ok {
			t.Fatal("the pod is not found")
		}
		conn, err := found.Dial(t.Context(), podnet.TCP, 80, source)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if from := <-pod.from; from != source {
			t.Errorf("the pod sees %s", from)
		}
		if _, err := conn.Write([]byte("hello")); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, 5)
		if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "hello" {
			t.Errorf("answer %q, %v", answer, err)
		}
	})
	t.Run("APP-14 an address of a node without a pod leads nowhere", func(t *testing.T) {
		found, ok := peers.Find(dir, known.Next())
		if !ok {
			t.Fatal("the node is not found")
		}
		if _, err := found.Dial(t.Context(), podnet.TCP, 80, source); err == nil || !strings.Contains(err.Error(), "no pod") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("APP-14 an address of no node of the cluster is not known", func(t *testing.T) {
		for _, text := range []string{"127.0.0.1", "127.64.0.5", "127.128.1.130"} {
			if _, ok := peers.Find(dir, netip.MustParseAddr(text)); ok {
				t.Errorf("%s is known", text)
			}
		}
	})
	node.Close()
	t.Run("a node that has ended is forgotten", func(t *testing.T) {
		if _, ok := peers.Find(dir, known); ok {
			t.Error("it is known")
		}
	})
}
