package kind

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// reach tests the connections from the control plane into the shoot that need more than one pod, and what happens
// when they break or change.
var reach = []step{
	{"VPN-3 an API that a pod of the shoot serves is one of its API server's", aggregated, true},
	{"SNI-8 the Service kubernetes leads to the address in the seed", endpoints, true},
	{"SNI-6 PRT-3 the name of the API server resolves to the front door", resolved, true},
	{"APP-31 users reach the API server at an address of its own, without names", door, true},
	{"VPN-9 GLT-31 a broken tunnel is told and a reconciliation waits until it is mended", broken, true},
}

// aggregated is served by the pod of step server, which tells its name.
func aggregated(t *testing.T, f *fixture) {
	bundle := f.kube("get", "secret", "server-tls", "-o", `jsonpath={.data.tls\.crt}`)
	f.apply(t, "apiservice.yaml", "BUNDLE", bundle)
	defer f.kube("delete", "apiservice", "v1.echo.e2e.test")
	f.kube("wait", "--for=condition=Available", "apiservice/v1.echo.e2e.test", "--timeout=10m")
	pod := strings.TrimSpace(f.kube("get", "pods", "-l", "app=server", "-o", "jsonpath={.items[0].metadata.name}"))
	want := "from the server by " + pod
	f.await(time.Minute, "the resource is read", func() (bool, string) { // kubectl finds resources by documents that are kept for a moment
		r := f.TryKubectl(f.kubeconfig(), "get", "greetings.echo.e2e.test", "hello", "-o", "jsonpath={.message} by {.pod}")
		return r.Stdout == want, r.Stdout + r.Stderr
	})
	if list := f.kube("get", "greetings.echo.e2e.test", "-o", "name"); list != "greeting.echo.e2e.test/hello\n" {
		t.Errorf("the list is %q", list)
	}
}

func endpoints(t *testing.T, f *fixture) {
	want := f.Kubectl(f.Seed(), "-n", technical, "get", "service", "kube-apiserver", "-o", "jsonpath={.spec.clusterIP}")
	if got := f.kube("get", "endpoints", "kubernetes", "-o", "jsonpath={.subsets[*].addresses[*].ip}"); got != want || net.ParseIP(got) == nil {
		t.Errorf("endpoints are %q, want %q", got, want)
	}
}

// door uses the first advertised address. By an address a client sends no server name, so the gateway has to know the shoot by other means.
func door(t *testing.T, f *fixture) {
	first := f.Kubectl(f.Garden(), "-n", project, "get", "shoot", shootName, "-o", "jsonpath={.status.advertisedAddresses[0].url}")
	address, err := url.Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := netip.ParseAddr(address.Hostname()); err != nil || !netip.MustParsePrefix("127.128.0.0/9").Contains(at) {
		t.Errorf("the first advertised address is %s", first)
	}
	kubeconfig := f.kube("config", "view", "--minify")
	if !strings.Contains(kubeconfig, "server: "+first+"\n") || strings.Contains(kubeconfig, "tls-server-name") {
		t.Errorf("%s is not what the kubeconfig names:\n%s", first, kubeconfig)
	}
	f.kube("get", "nodes")
}

// resolved asks the landscape's name server, as dig does.
func resolved(t *testing.T, f *fixture) {
	status := struct {
		NameServer, FrontDoor string
	}{}
	f.Status(&status)
	entry, _, err := net.SplitHostPort(status.FrontDoor)
	if err != nil {
		t.Fatal(err)
	}
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, status.NameServer)
	}}
	for _, name := range strings.Fields(f.Kubectl(f.Seed(), "-n", technical, "get", "dnsrecords", "-o", `jsonpath={.items[?(@.spec.recordType=="A")].spec.name}`)) { // the owner has no address
		if got, err := resolver.LookupHost(t.Context(), name); err != nil || !slices.Equal(got, []string{entry}) {
			t.Errorf("%s resolves to %v, %v; want %s", name, got, err, entry)
		}
	}
}

// tunnelResource is the ManagedResource with the client of the tunnel.
const tunnelResource = "managedresource/shoot-core-vpn-shoot"

// broken removes the client and keeps the resource manager from restoring it. The care controller and a
// reconciliation must both notice.
func broken(t *testing.T, f *fixture) {
	f.Kubectl(f.Seed(), "-n", technical, "annotate", tunnelResource, "resources.gardener.cloud/ignore=true")
	mended := false
	mend := func() {
		if !mended {
			mended = true
			f.Kubectl(f.Seed(), "-n", technical, "annotate", tunnelResource, "resources.gardener.cloud/ignore-")
		}
	}
	defer mend()
	f.kube("-n", "kube-system", "scale", "deployment", "vpn-shoot-client", "--replicas=0")
	f.await(3*time.Minute, "the condition tells of the tunnel", func() (bool, string) {
		condition := f.shootField(`{.status.conditions[?(@.type=="SystemComponentsHealthy")]}`)
		return strings.Contains(condition, `"status":"False"`) && strings.Contains(condition, "TunnelConnectionBroken") && strings.Contains(condition, "vpn-shoot-client"), condition
	})
	f.reconcile()
	f.await(2*time.Minute, "the reconciliation waits for the tunnel", func() (bool, string) {
		said := f.shootField("{.status.lastOperation.description}")
		return strings.Contains(said, "Waiting until the Kubernetes API server can connect to the Shoot workers"), said
	})
	mend()
	f.ready() // with all conditions
}

var otherTunnel = []step{
	sshFirst,
	{"VPN-8 KON-1 KON-2 KON-3 KON-5 a shoot moves to the API server network proxy", alternative, true},
	sshSecond,
}

// reversedVPN chooses the tunnel of a shoot.
const reversedVPN = "alpha.featuregates.shoot.gardener.cloud/reversed-vpn"

// alternative switches a running shoot to the other tunnel. Only the names change. It goes back with the next change; see usual.
func alternative(t *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "-n", project, "annotate", "shoot", shootName, reversedVPN+"=false", "--overwrite")
	f.operate("rotate-ssh-keypair") // for the steps about SSH; it reconciles, too
	f.ready()
	f.tunnelIs(t, "proxy-server", "proxy-agent", "vpn-seed-server", "vpn-shoot-client")
	if document := f.Kubectl(f.Seed(), "-n", technical, "get", "configmaps", "-o", `jsonpath={.items[*].data.egress-selector-configuration\.yaml}`); !strings.Contains(document, "url: https://proxy-server:8131") {
		t.Errorf("egress selector configuration: %s", document)
	}
	if got := f.kube("exec", "deployment/server", "--", "echo", "print", "by the proxy"); got != "by the proxy\n" {
		t.Errorf("output %q", got)
	}
	if types := f.Kubectl(f.Seed(), "get", "services", "-A", "-o", "jsonpath={.items[*].spec.type}"); strings.Contains(types, "LoadBalancer") || strings.Contains(types, "NodePort") {
		t.Errorf("services of the seed are of types %s", types)
	}
	address := net.JoinHostPort(f.seedAddress(t), fmt.Sprint(tunnelPort))
	f.await(time.Minute, "the front door leads to the proxy", func() (bool, string) {
		status, _ := connectTunnel(t, address, "CONNECT", "outbound|8132||proxy-server."+technical+".svc.cluster.local")
		return status == http.StatusOK, fmt.Sprint(status)
	})
}

// usual looks for the tunnel that a shoot has without the annotation.
func usual(t *testing.T, f *fixture) {
	f.tunnelIs(t, "vpn-seed-server", "vpn-shoot-client", "proxy-server", "proxy-agent")
	if got := f.kube("exec", "deployment/server", "--", "echo", "print", "by the tunnel"); got != "by the tunnel\n" {
		t.Errorf("output %q", got)
	}
}

// tunnelIs looks for the Deployments of one way and of the other one.
func (f *fixture) tunnelIs(t *testing.T, server, client, otherServer, otherClient string) {
	t.Helper()
	for where, want := range map[string]struct {
		kubeconfig, namespace, name, other string
	}{
		"in the seed":  {f.Seed(), technical, server, otherServer},
		"in the shoot": {f.kubeconfig(), "kube-system", client, otherClient},
	} {
		f.await(2*time.Minute, "the tunnel "+where, func() (bool, string) {
			names := f.TryKubectl(want.kubeconfig, "-n", want.namespace, "get", "deployments", "-o", "jsonpath={.items[*].metadata.name}").Stdout
			all := strings.Fields(names)
			return slices.Contains(all, want.name) && !slices.Contains(all, want.other), names
		})
	}
}

// reconcile requests a reconciliation and waits until it has started.
func (f *fixture) reconcile() { f.operate("reconcile") }

// operate requests an operation and waits until it has started.
func (f *fixture) operate(operation string) {
	f.Kubectl(f.Garden(), "-n", project, "annotate", "shoot", shootName, "gardener.cloud/operation="+operation, "--overwrite")
	f.await(2*time.Minute, "the operation "+operation+" begins", func() (bool, string) {
		asked := f.shootField(`{.metadata.annotations.gardener\.cloud/operation}`)
		return asked == "", asked
	})
}

// shootField is a field of the Shoot, by its path.
func (f *fixture) shootField(path string) string {
	r := f.TryKubectl(f.Garden(), "-n", project, "get", "shoot", shootName, "-o", "jsonpath="+path)
	return r.Stdout + r.Stderr
}
