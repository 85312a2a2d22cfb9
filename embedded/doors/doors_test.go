package doors_test

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"testing"

	"github.com/go-logr/logr/testr"
	"go.uber.org/goleak"

	"github.com/gardener-up/gardener-up/embedded/doors"
	"github.com/gardener-up/gardener-up/embedded/internal/proxyprotocol"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// greeter is a server that says its name to everybody.
func greeter(t *testing.T, name string) netip.AddrPort {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, name)
			_ = conn.Close()
		}
	}()
	return netip.MustParseAddrPort(listener.Addr().String())
}

// free is an address that nobody uses.
func free(t *testing.T) netip.AddrPort {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.9:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return netip.MustParseAddrPort(listener.Addr().String())
}

func says(address netip.AddrPort, want string) func() error {
	return func() error {
		conn, err := net.Dial("tcp", address.String())
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		got, err := io.ReadAll(conn)
		if err != nil || string(got) != want {
			return fmt.Errorf("%s says %q, %v; want %q", address, got, err, want)
		}
		return nil
	}
}

func TestServer(t *testing.T) {
	first, second, address, later := greeter(t, "first"), greeter(t, "second"), free(t), free(t)
	s := doors.New("doors", testr.New(t))
	s.Open(address, doors.Target{Server: first})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	testwait.Until(t, "a door that was wanted before the start leads to its server", says(address, "first"))
	s.Open(address, doors.Target{Server: second})
	testwait.Until(t, "a door leads to another server", says(address, "second"))
	s.Open(later, doors.Target{Server: first})
	testwait.Until(t, "a door is opened while the server runs", says(later, "first"))
	s.Close(address)
	testwait.Until(t, "a door is closed", func() error {
		if conn, err := net.Dial("tcp", address.String()); err == nil {
			_ = conn.Close()
			return fmt.Errorf("%s still accepts connections", address)
		}
		return nil
	})
	if err := says(later, "first")(); err != nil {
		t.Errorf("the other door: %v", err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if conn, err := net.Dial("tcp", later.String()); err == nil {
		_ = conn.Close()
		t.Error("a door is open after the end")
	}
}

func TestServerWaitsForAnAddressThatOthersHold(t *testing.T) {
	held, err := net.Listen("tcp", "127.0.0.9:0")
	if err != nil {
		t.Fatal(err)
	}
	address := netip.MustParseAddrPort(held.Addr().String())
	s := doors.New("doors", testr.New(t))
	s.Open(address, doors.Target{Server: greeter(t, "first")})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = held.Close()
	testwait.Until(t, "it is opened once it is free", says(address, "first"))
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// reader is a relay that answers with the destination that the header of a connection names.
func reader(t *testing.T) netip.AddrPort {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			meant, err := proxyprotocol.Read(conn)
			_, _ = fmt.Fprint(conn, meant, " ", err)
			_ = conn.Close()
		}
	}()
	return netip.MustParseAddrPort(listener.Addr().String())
}

func TestServerNamesWhatIsMeantBehindARelay(t *testing.T) {
	address := free(t)
	s := doors.New("doors", testr.New(t))
	s.Open(address, doors.Target{Server: reader(t), Meant: netip.MustParseAddrPort("10.2.3.4:443")})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	testwait.Until(t, "the relay reads the header", says(address, "10.2.3.4:443 <nil>"))
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
