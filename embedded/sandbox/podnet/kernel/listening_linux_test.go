package kernel_test

import (
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/kernel"
)

func diagnosis(t testing.TB) kernel.Diagnosis {
	t.Helper()
	socket, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		t.Fatal(err)
	}
	d := kernel.NewDiagnosis(os.NewFile(uintptr(socket), "netlink"))
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestBound(t *testing.T) {
	tcp, err := net.Listen("tcp4", "127.0.0.3:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	only6, err := net.Listen("tcp6", "[::]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer only6.Close()
	found, err := diagnosis(t).Bound()
	if err != nil {
		t.Fatal(err)
	}
	ports := map[int]string{}
	for _, socket := range found {
		if socket.TCP {
			ports[int(socket.Address.Port())] += "tcp " + socket.Address.Addr().String()
		} else {
			ports[int(socket.Address.Port())] += "udp " + socket.Address.Addr().String()
		}
	}
	for name, tc := range map[string]struct {
		port int
		want string
	}{
		"APP-13 a listener of TCP is found with its address":     {tcp.Addr().(*net.TCPAddr).Port, "tcp 127.0.0.3"},
		"APP-13 a socket of IPv6 that accepts IPv4 is found":     {udp.LocalAddr().(*net.UDPAddr).Port, "udp 0.0.0.0"},
		"APP-13 a socket that accepts only IPv6 is not reported": {only6.Addr().(*net.TCPAddr).Port, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ports[tc.port]; got != tc.want {
				t.Errorf("port %d: %q, want %q", tc.port, got, tc.want)
			}
		})
	}
}

// BenchmarkBound measures one look at the ports of a pod.
func BenchmarkBound(b *testing.B) {
	d := diagnosis(b)
	for b.Loop() {
		if _, err := d.Bound(); err != nil {
			b.Fatal(err)
		}
	}
}
