package kind

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var tunnel = []step{
	{"ARC-6 VPN-1 VPN-3 PRT-2 logs, commands and ports of pods come through a firewall that lets nothing in", outboundOnly, true},
	{"VPN-6 the tunnel comes back after its client has gone", tunnelAgain, true},
	{"VPN-2 VPN-5 port 8132 refuses wrong headers and strangers", wrongHeader, true},
	{"PRT-1 each gateway of the seed has three ports, and nothing else of Gardener is open", openPorts, true},
	{"VPN-1 PRT-2 nothing in the shoot waits for connections from outside", noOpenPorts, true},
}

// tunnelPort is where the seed takes the tunnels of shoots.
const tunnelPort = 8132

func tunnelAgain(_ *testing.T, f *fixture) {
	f.kube("-n", "kube-system", "delete", "pod", "-l", "app=vpn-shoot-client", "--grace-period=1", "--timeout=10m")
	f.await(2*time.Minute, "logs are read again", func() (bool, string) {
		r := f.TryKubectl(f.kubeconfig(), "logs", "deployment/server", "--tail=1", "--request-timeout=10s")
		return r.Code == 0 && r.Stdout != "", r.Stdout + r.Stderr
	})
}

// connectTunnel asks for a destination, by the method and header, and returns the status and the connection.
func connectTunnel(t *testing.T, address, method, destination string) (int, net.Conn) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(conn, "%s vpn:443 HTTP/1.1\r\nHost: vpn:443\r\nReversed-VPN: %s\r\n\r\n", method, destination)
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
	if err != nil {
		t.Fatalf("%s %q: %v", method, destination, err)
	}
	return response.StatusCode, conn
}

func wrongHeader(t *testing.T, f *fixture) {
	address := net.JoinHostPort(f.seedAddress(t), fmt.Sprint(tunnelPort))
	right := "outbound|1194||vpn-seed-server." + technical + ".svc.cluster.local"
	for what, ask := range map[string]struct{ method, destination string }{
		"no destination":              {"CONNECT", ""},
		"the API server of the shoot": {"CONNECT", "outbound|443||kube-apiserver." + technical + ".svc.cluster.local"},
		"another port":                {"CONNECT", strings.Replace(right, "1194", "9443", 1)},
		"a shoot that does not exist": {"CONNECT", strings.Replace(right, technical, "shoot--local--nobody", 1)},
		"another method":              {"POST", right},
	} {
		if status, _ := connectTunnel(t, address, ask.method, ask.destination); status == http.StatusOK {
			t.Errorf("%s is let through", what)
		}
	}
	status, conn := connectTunnel(t, address, "CONNECT", right)
	if status != http.StatusOK {
		t.Fatalf("the right destination is refused with %d", status)
	}
	own := newCertificate(t, "vpn-shoot-client")
	pair, err := tls.X509KeyPair([]byte(own.cert), []byte(own.key))
	if err != nil {
		t.Fatal(err)
	}
	stranger := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{pair}}) //nolint:gosec // the server is to refuse us
	_, err = stranger.Write([]byte("hello"))
	if err == nil {
		_, err = stranger.Read(make([]byte, 1)) // TLS 1.3 reports a refused certificate after the handshake
	}
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate of another authority: %v", err)
	}
}

// openPorts tries all ports of the seed's node from the machine. What else is open are those of Kubernetes.
func openPorts(t *testing.T, f *fixture) {
	kubernetes := []int{2379, 2380, 6443, 10250, 10256} // etcd, API server, kubelet, health of kube-proxy
	var open []int
	for _, port := range scan(f.seedAddress(t)) {
		if !slices.Contains(kubernetes, port) {
			open = append(open, port)
		}
	}
	var want []int
	for _, g := range gateways {
		want = append(want, g.tls, g.proxy, g.tunnel)
	}
	slices.Sort(want)
	if !slices.Equal(open, want) {
		t.Errorf("open ports %v, want %v", open, want)
	}
}

// scan returns the open TCP ports of an address, in order.
func scan(ip string) []int {
	const workers = 100
	var mu sync.Mutex
	var open []int
	ports := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for port := range ports {
				conn, err := net.DialTimeout("tcp", net.JoinHostPort(ip, fmt.Sprint(port)), 3*time.Second)
				if err != nil {
					continue
				}
				_ = conn.Close()
				mu.Lock()
				open = append(open, port)
				mu.Unlock()
			}
		})
	}
	for port := 1; port < 1<<16; port++ {
		ports <- port
	}
	close(ports)
	all.Wait()
	slices.Sort(open)
	return open
}

// kubernetesPorts are the TCP ports that may be open on a node of the shoot. Nothing outside needs one of them: see outboundOnly. The metrics
// of kube-proxy and of the DNS cache are open to the network without login, as in every cluster of Gardener.
var kubernetesPorts = map[int]string{
	22: "SSH of the operating system", 10250: "kubelet", 10249: "metrics of kube-proxy", 10256: "health of kube-proxy", 9253: "metrics of the DNS cache", 9353: "metrics of the DNS cache",
}

// noOpenPorts tries all TCP ports of the shoot's nodes from the machine, and looks for Services that would open some.
func noOpenPorts(t *testing.T, f *fixture) {
	types := f.kube("get", "services", "-A", "-o", `jsonpath={range .items[*]}{.metadata.name}={.spec.type} {end}`)
	if strings.Contains(types, "=LoadBalancer") || strings.Contains(types, "=NodePort") {
		t.Errorf("services %s", types)
	}
	machines := f.machines(t)
	if len(machines) == 0 {
		t.Fatal("the shoot has no nodes")
	}
	for _, machine := range machines {
		open := scan(addressOf(t, machine))
		if !slices.Contains(open, 10250) {
			t.Errorf("the kubelet of %s is not found among its open ports %v: the scan sees nothing", machine, open)
		}
		for _, port := range open {
			if kubernetesPorts[port] == "" {
				t.Errorf("port %d of node %s is open", port, machine)
			}
		}
	}
}
