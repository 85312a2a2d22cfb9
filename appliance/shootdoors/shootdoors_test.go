package shootdoors

import (
	"context"
	"net"
	"net/netip"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr/testr"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func open(t *testing.T, file string) (*Doors, *store.Store) {
	t.Helper()
	s, err := store.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return New(s, 8443, testr.New(t)), s
}

func address(t *testing.T, d *Doors, shoot types.UID) netip.AddrPort {
	t.Helper()
	got, err := d.Address(shoot)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAddressStaysAsLongAsTheShootExists(t *testing.T) {
	file := filepath.Join(t.TempDir(), "appliance.db")
	d, s := open(t, file)
	first := address(t, d, "a")
	if first.Port() != 8443 || !first.Addr().IsLoopback() || first.Addr().As4()[1] < 128 {
		t.Errorf("the address is %s", first)
	}
	server := netip.MustParseAddrPort("127.96.0.7:6443")
	if err := d.Open("a", server); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	d, s = open(t, file) // after a restart
	if again := address(t, d, "a"); again != first {
		t.Errorf("the address was %s, is %s", first, again)
	}
	if door, _, err := s.Doors().Of("a"); err != nil || door.Server != server {
		t.Errorf("the store knows %+v, %v", door, err)
	}
	if all, err := d.All(); err != nil || len(all) != 1 || all[0] != first {
		t.Errorf("all addresses are %v, %v", all, err)
	}
	for range 2 { // a deletion may be repeated
		if err := d.Close("a"); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := s.Doors().All(); err != nil || len(left) > 0 {
		t.Errorf("the store knows %v, %v", left, err)
	}
}

func TestNoTwoShootsShareAnAddress(t *testing.T) {
	first, err := choose("a", nil)
	if err != nil {
		t.Fatal(err)
	}
	next, err := choose("a", map[netip.Addr]bool{first: true})
	if err != nil || next == first {
		t.Errorf("the second address is %s, %v", next, err)
	}
}

func TestDoorsBehindAGatewayWaitForIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "appliance.db")
	d, s := open(t, file)
	if err := d.Behind("kind").Open("a", netip.MustParseAddrPort("10.2.3.4:6443")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	d, _ = open(t, file) // after a restart nobody knows where the gateway is
	d.port = freePort(t)
	at := address(t, d, "a")
	part, err := d.Part()
	if err != nil {
		t.Fatal(err)
	}
	if err := part.Component.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = part.Component.Stop(context.WithoutCancel(t.Context())) })
	if conn, err := net.Dial("tcp", at.String()); err == nil {
		_ = conn.Close()
		t.Error("a door is open that leads nowhere")
	}
	gateway, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gateway.Close() })
	if err := d.Behind("other").Locate(netip.MustParseAddrPort("127.0.0.1:1")); err != nil {
		t.Fatal(err)
	}
	if err := d.Behind("kind").Locate(netip.MustParseAddrPort(gateway.Addr().String())); err != nil {
		t.Fatal(err)
	}
	testwait.Until(t, "the door leads to the gateway", func() error {
		conn, err := net.Dial("tcp", at.String())
		if err != nil {
			return err
		}
		return conn.Close()
	})
	if err := d.Open("a", netip.MustParseAddrPort("127.96.0.7:6443")); err != nil { // it has moved to a seed without gateway
		t.Fatal(err)
	}
	if door, _, err := d.store.Doors().Of("a"); err != nil || door.Gateway != "" {
		t.Errorf("the store knows %+v, %v", door, err)
	}
}

func TestThereMayBeNoDoors(t *testing.T) {
	var none *Doors
	if none.Behind("kind") != nil || none.Direct() != nil {
		t.Error("there are doors")
	}
}

func freePort(t *testing.T) uint16 {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return netip.MustParseAddrPort(listener.Addr().String()).Port()
}
