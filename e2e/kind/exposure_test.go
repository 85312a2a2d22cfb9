package kind

import (
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// The shoot of an exposure class, and the address of the landscape's front door for the class's handler. Landscapes
// of other tests use other ports.
const (
	exposedShoot     = "edge"
	exposedTechnical = "shoot--local--edge"
	edgeAddress      = "127.0.0.98"
)

// gateway is one of the seed's gateways, given by its ports on the seed's node.
type gateway struct {
	name               string
	tls, proxy, tunnel int
}

// gateways are the usual one and that of the handler, the first of the landscape.
var gateways = map[string]gateway{
	technical:        {"the usual gateway", 443, 8443, tunnelPort},
	exposedTechnical: {"the gateway of the handler", 543, 8543, 8232},
}

// exposure runs after steps that mostly wait. Meanwhile the shoot that one of them has created becomes ready.
var exposure = []step{
	{"PRT-4 a shoot of an exposure class is ordered", order, true},
	{"PRT-4 a shoot of an exposure class is behind the gateway of its handler, and no other one is", behind, true},
	{"PRT-4 nodes and pods of a shoot of an exposure class come by the gateway of its handler", byItsGateway, true},
	{"APP-36 what an exposure class looks like, as documented", gatewaysAsDocumented, true},
}

// addHandler gives the landscape's gardenlet a handler of exposure classes.
func addHandler(t *testing.T, l *framework.Landscape) {
	configure(t, l, func(config map[string]any) {
		config["gardenlet"] = map[string]any{"exposureClassHandlers": []any{map[string]any{
			"name": "edge", "loadBalancerService": map[string]any{"annotations": map[string]any{}},
			"sni": map[string]any{"ingress": map[string]any{"serviceExternalIP": edgeAddress}},
		}}}
	})
}

// configure changes the configuration of a landscape that has not been started.
func configure(t *testing.T, l *framework.Landscape, change func(map[string]any)) {
	t.Helper()
	text, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	config := map[string]any{}
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	change(config)
	if text, err = json.Marshal(config); err != nil {
		t.Fatal(err)
	}
	if err := l.Write(l.Config, string(text)); err != nil {
		t.Fatal(err)
	}
}

func order(t *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "apply", "-f", testdata(t, "exposed.yaml"))
}

// behind connects to all doors for both shoots, from the machine and from the nodes' network.
func behind(t *testing.T, f *fixture) {
	t.Log(f.Gardener("shoot", "wait", exposedShoot, "-n", project, "--timeout=10m"))
	f.noteVolumes(t)
	status := struct {
		FrontDoor         string
		HandlerFrontDoors map[string]string
	}{}
	f.Status(&status)
	_, port, _ := net.SplitHostPort(status.FrontDoor)
	landscape := map[string]string{technical: status.FrontDoor, exposedTechnical: net.JoinHostPort(edgeAddress, port)}
	if got := status.HandlerFrontDoors["edge"]; got != landscape[exposedTechnical] {
		t.Errorf("the status shows the front door as %q", got)
	}
	node := f.seedAddress(t)
	at := func(port int) string { return net.JoinHostPort(node, fmt.Sprint(port)) }
	hosts := map[string]string{technical: f.internalHost(t, shootName), exposedTechnical: f.internalHost(t, exposedShoot)}
	for door, g := range gateways {
		for shoot, host := range hosts {
			for _, address := range []string{landscape[door], at(g.tls)} {
				f.await(time.Minute, fmt.Sprintf("%s at %s answers for %s: %t", g.name, address, host, door == shoot), func() (bool, string) {
					err := knock(address, host)
					return (err == nil) == (door == shoot), fmt.Sprint(err)
				})
			}
			destination := "outbound|1194||vpn-seed-server." + shoot + ".svc.cluster.local"
			f.await(time.Minute, fmt.Sprintf("%s leads a tunnel to %s: %t", g.name, shoot, door == shoot), func() (bool, string) {
				code, _ := connectTunnel(t, at(g.tunnel), http.MethodConnect, destination)
				return (code == http.StatusOK) == (door == shoot), fmt.Sprint(code)
			})
			service := f.Kubectl(f.Seed(), "-n", shoot, "get", "service", "kube-apiserver", "-o", "jsonpath={.spec.clusterIP}")
			f.await(time.Minute, fmt.Sprintf("%s answers a connection that was meant for %s: %t", g.name, shoot, door == shoot), func() (bool, string) {
				err := knockProxied(at(g.proxy), service, host)
				return (err == nil) == (door == shoot), fmt.Sprint(err)
			})
		}
	}
}

// byItsGateway uses the shoot as its user does. It deletes the shoot without waiting, so that other steps run
// meanwhile.
func byItsGateway(t *testing.T, f *fixture) {
	kubeconfig := f.Shoot(project, exposedShoot)
	if server := f.Kubectl(kubeconfig, "config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}"); !strings.HasPrefix(server, "https://"+edgeAddress+":") {
		t.Errorf("the kubeconfig leads to %s", server)
	}
	f.await(time.Minute, "the node is ready", func() (bool, string) {
		ready := f.Kubectl(kubeconfig, "get", "nodes", "-o", `jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}`)
		return ready == "True", ready
	})
	f.Kubectl(kubeconfig, "-n", "kube-system", "rollout", "status", "deployment/coredns", "--timeout=10m") // CoreDNS asks the Service kubernetes
	if logs := f.Kubectl(kubeconfig, "-n", "kube-system", "logs", "deployment/coredns", "--tail=5"); logs == "" {
		t.Error("the tunnel brings no logs")
	}
	for resource, want := range map[string]string{"deployment/vpn-shoot-client": ":8232", "daemonset/apiserver-proxy": ":8543"} {
		if args := f.Kubectl(kubeconfig, "-n", "kube-system", "get", resource, "-o", "jsonpath={.spec.template.spec.containers[0].args}"); !strings.Contains(args, want) {
			t.Errorf("%s has the arguments %s", resource, args)
		}
	}
	f.Kubectl(f.Garden(), "-n", project, "annotate", "shoot", exposedShoot, "confirmation.gardener.cloud/deletion=true")
	f.Kubectl(f.Garden(), "-n", project, "delete", "shoot", exposedShoot, "--wait=false")
}

// internalHost is the name of a shoot's API server in the internal domain.
func (f *fixture) internalHost(t *testing.T, shoot string) string {
	server, err := url.Parse(f.Kubectl(f.Garden(), "-n", project, "get", "shoot", shoot, "-o", `jsonpath={.status.advertisedAddresses[?(@.name=="internal")].url}`))
	if err != nil || server.Hostname() == "" {
		t.Fatalf("shoot %s has no internal address: %v", shoot, err)
	}
	return server.Hostname()
}

// knock returns nil if an API server answers for the name.
func knock(address, name string) error {
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	return handshake(conn, name)
}

func handshake(conn net.Conn, name string) error {
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return tls.Client(conn, &tls.Config{ServerName: name, InsecureSkipVerify: true}).Handshake() //nolint:gosec // only the answer matters
}

// knockProxied connects as apiserver-proxy does: after a PROXY protocol header with the original destination.
func knockProxied(address, meant, name string) error {
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	header := append([]byte("\r\n\r\n\x00\r\nQUIT\n"), 0x21, 0x11, 0, 12)
	header = append(append(header, 127, 0, 0, 1), net.ParseIP(meant).To4()...)
	header = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(header, 4711), 443)
	if _, err := conn.Write(header); err != nil {
		return err
	}
	return handshake(conn, name)
}
