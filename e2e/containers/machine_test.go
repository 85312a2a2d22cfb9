package containers

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// unreachable tries every listener of the machine from a pod, at the address where it listens, and at all addresses of the machine if it
// listens everywhere. Only those at pods of the own cluster may answer: their ports are open on the machine, too.
func unreachable(t *testing.T, f *fixture) {
	tcp, udp := ownServers(t)
	listening := listeners(t)
	for _, server := range []string{tcp, udp} {
		if !slices.Contains(listening, server) {
			t.Fatalf("the server %s of the test is not among the listeners %s", server, listening)
		}
	}
	pods := map[string]bool{}
	for _, address := range strings.Fields(f.Kubectl(f.shoot, "get", "pods", "-A", "-o", `jsonpath={.items[*].status.podIP}`)) {
		pods[address] = true
	}
	nodes := map[string]bool{} // pods in the network of a node have its address
	for _, address := range strings.Fields(f.Kubectl(f.shoot, "get", "nodes", "-o", `jsonpath={.items[*].status.addresses[?(@.type=="InternalIP")].address}`)) {
		nodes[address] = true
	}
	others := slices.DeleteFunc(listening, func(destination string) bool {
		_, text, _ := strings.Cut(destination, ":")
		address, err := netip.ParseAddrPort(text)
		return err == nil && pods[address.Addr().String()] && !nodes[address.Addr().String()]
	})
	t.Logf("%d listeners", len(others))
	// what is the machine's own 127.0.0.1 is the pod's own there, where its server has port 80
	const own = "tcp:127.0.0.1:80"
	others = append(slices.DeleteFunc(others, func(d string) bool { return d == own }), "tcp:169.254.169.254:80", "tcp:100.100.100.200:80", own)
	if reached := f.Kubectl(f.shoot, append([]string{"exec", "web", "--", program, "connect"}, others...)...); strings.TrimSpace(reached) != own {
		t.Errorf("a pod reaches not only itself at %s, but\n%s", own, reached)
	}
	probing(t, f)
}

// probing asks the kubelet, which is a process of the machine, to probe servers of the machine for a pod: one on its loopback, and one that listens at all
// addresses of the machine, so at the pod's, too. A container redirects there.
func probing(t *testing.T, f *fixture) {
	t.Helper()
	_, loopback, _ := net.SplitHostPort(forbidden(t, "127.0.0.1:0").String())
	_, everywhere, _ := net.SplitHostPort(forbidden(t, "0.0.0.0:0").String())
	f.Kubectl(f.shoot, "apply", "-f", f.File("probing.yaml", fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata: {name: probing}
spec:
  containers:
  - name: host
    image: %[1]s
    args: [serve, "8080", /nothing]
    readinessProbe: {tcpSocket: {host: 127.0.0.1, port: %[2]s}, periodSeconds: 1}
    lifecycle: {preStop: {httpGet: {host: 127.0.0.1, port: %[2]s}}}
  - name: http
    image: %[1]s
    args: [serve, "8081", /nothing]
    readinessProbe: {httpGet: {port: %[3]s}, periodSeconds: 1}
    lifecycle: {preStop: {httpGet: {port: %[3]s}}}
  - {name: tcp, image: %[1]s, args: [serve, "8082", /nothing], readinessProbe: {tcpSocket: {port: %[3]s}, periodSeconds: 1}}
  - {name: grpc, image: %[1]s, args: [serve, "8083", /nothing], readinessProbe: {grpc: {port: %[3]s}, periodSeconds: 1}}
  - name: redirect
    image: %[1]s
    args: [redirect, "8084", "http://$(POD_IP):%[3]s/"]
    env: [{name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]
    readinessProbe: {httpGet: {port: 8084}, periodSeconds: 1}
`, reference, loopback, everywhere)))
	f.Eventually(time.Minute, "the probe of each container fails", func() (bool, string) {
		said := f.Kubectl(f.shoot, "get", "events", "--field-selector=involvedObject.name=probing,reason=Unhealthy", "-o", `jsonpath={range .items[*]}{.involvedObject.fieldPath} {.message}{"\n"}{end}`)
		for _, container := range []string{"host", "http", "tcp", "grpc", "redirect"} {
			if !strings.Contains(said, "{"+container+"} Readiness probe failed: ") {
				return false, said
			}
		}
		return true, said
	})
	if said := f.Kubectl(f.shoot, "get", "pod", "probing", "-o", "jsonpath={.status.phase}"); said != "Running" {
		t.Errorf("the pod is %s", said)
	}
	f.Kubectl(f.shoot, "delete", "pod", "probing", "--grace-period=2", "--timeout=10m")
}

// ownServers listens at all addresses of the machine, as a server of the user may.
func ownServers(t *testing.T) (tcp, udp string) {
	t.Helper()
	everywhere := forbidden(t, "0.0.0.0:0")
	packets, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = packets.Close() })
	go func() {
		if _, from, err := packets.ReadFrom(make([]byte, 1)); err == nil {
			t.Errorf("the server of the test gets packets from %s", from)
		}
	}()
	return fmt.Sprintf("tcp:127.0.0.1:%d", everywhere.(*net.TCPAddr).Port), "udp:" + packets.LocalAddr().String()
}

// forbidden starts a server that nobody may reach, and returns its address.
func forbidden(t *testing.T, address string) net.Addr {
	t.Helper()
	listener, err := net.Listen("tcp4", address)
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
			_ = conn.Close()
			t.Errorf("the server of the test is reached from %s", conn.RemoteAddr())
		}
	}()
	return listener.Addr()
}

// listeners are the destinations at which a server of this machine listens. A server that listens at all addresses has one at each.
func listeners(t *testing.T) []string {
	t.Helper()
	var machine []netip.Addr
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		if prefix, err := netip.ParsePrefix(address.String()); err == nil && prefix.Addr().Is4() {
			machine = append(machine, prefix.Addr())
		}
	}
	machine = append(machine, netip.MustParseAddr("127.64.0.1"), netip.MustParseAddr("127.128.0.1")) // of seeds and nodes
	var all []string
	for file, of := range map[string]struct{ network, state string }{"tcp": {"tcp", "0A"}, "tcp6": {"tcp", "0A"}, "udp": {"udp", "07"}, "udp6": {"udp", "07"}} {
		for _, at := range sockets(t, "/proc/net/"+file, of.state) {
			where := []netip.Addr{at.Addr().Unmap()}
			if at.Addr().IsUnspecified() {
				where = machine
			}
			for _, address := range where {
				if address.Is4() {
					all = append(all, of.network+":"+netip.AddrPortFrom(address, at.Port()).String())
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sockets are the local addresses in a table of the kernel that are in the state.
func sockets(t *testing.T, file, state string) []netip.AddrPort {
	t.Helper()
	opened, err := os.Open(file)
	if err != nil {
		return nil // without IPv6
	}
	defer opened.Close()
	var all []netip.AddrPort
	for lines := bufio.NewScanner(opened); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != state {
			continue
		}
		address, port, _ := strings.Cut(fields[1], ":")
		bytes, err := hex.DecodeString(address)
		number, errPort := strconv.ParseUint(port, 16, 16)
		if err != nil || errPort != nil {
			t.Fatalf("read %s: %s", file, lines.Text())
		}
		for i := 0; i < len(bytes); i += 4 { // words in the order of the machine
			binary.NativeEndian.PutUint32(bytes[i:], binary.BigEndian.Uint32(bytes[i:]))
		}
		if parsed, ok := netip.AddrFromSlice(bytes); ok {
			all = append(all, netip.AddrPortFrom(parsed, uint16(number)))
		}
	}
	return all
}
