package rows

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// edgeAddress is the address of the front door of handler edge.
const edgeAddress = "127.0.0.99"

// addHandler configures a handler of exposure classes for the gardenlet of the landscape. Landscapes of other tests use
// other ports.
func addHandler(t *testing.T, l *framework.Landscape) {
	text, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	handler := fmt.Sprintf("gardenlet: {exposureClassHandlers: [{name: edge, loadBalancerService: {annotations: {}}, sni: {ingress: {serviceExternalIP: %s}}}]}\n", edgeAddress)
	if err := l.Write(l.Config, string(text)+handler); err != nil {
		t.Fatal(err)
	}
}

// nameServer queries the DNS server of the landscape, as dig does.
func nameServer(t *testing.T, f *fixture) (resolver *net.Resolver, frontDoor string) {
	status := struct {
		NameServer, FrontDoor string
	}{}
	f.Status(&status)
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, status.NameServer)
	}}, status.FrontDoor
}

// advertised returns the hosts of the API server of a shoot that have names, by the name of the address.
func advertised(t *testing.T, f *fixture, shoot string) map[string]string {
	hosts := map[string]string{}
	addresses := f.Kubectl(f.Garden(), "-n", project, "get", "shoot", shoot, "-o", `jsonpath={range .status.advertisedAddresses[*]}{.name}={.url} {end}`)
	for _, address := range strings.Fields(addresses) {
		name, text, _ := strings.Cut(address, "=")
		server, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := netip.ParseAddr(server.Hostname()); err != nil {
			hosts[strings.TrimSuffix(name, "-domain")] = server.Hostname()
		}
	}
	if hosts["external"] == "" || hosts["internal"] == "" {
		t.Fatalf("the addresses of shoot %s are %s", shoot, addresses)
	}
	return hosts
}

func resolved(t *testing.T, f *fixture) {
	resolver, frontDoor := nameServer(t, f)
	entry, _, err := net.SplitHostPort(frontDoor)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range advertised(t, f, "rows") {
		if got, err := resolver.LookupHost(t.Context(), host); err != nil || !slices.Equal(got, []string{entry}) {
			t.Errorf("%s resolves to %v, %v; want %s", host, got, err, entry)
		}
		if got := dig(t, f, host); !strings.Contains(got, "status: NOERROR") || !strings.Contains(got, host+". ") || !strings.Contains(got, " IN A "+entry+" ") {
			t.Errorf("APP-36 for %s dig prints, want %s: %s", host, entry, got)
		}
		nobody := strings.Replace(host, "api.rows.", "api.nobody.", 1)
		if got, err := resolver.LookupHost(t.Context(), nobody); err == nil {
			t.Errorf("the name %s of a Shoot that does not exist resolves to %v", nobody, got)
		}
		if got := dig(t, f, nobody); !strings.Contains(got, "status: NXDOMAIN") {
			t.Errorf("APP-36 for the name %s of a Shoot that does not exist dig prints: %s", nobody, got)
		}
	}
}

// dig asks the name server of the landscape as documented.
func dig(t *testing.T, f *fixture, name string) string {
	t.Helper()
	if _, err := exec.LookPath("dig"); err != nil {
		testskip.OutsideCI(t, "the package bind9-dnsutils: ", err)
	}
	status := struct{ NameServer string }{}
	f.Status(&status)
	_, port, err := net.SplitHostPort(status.NameServer)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(follow.Sentence(t, "docs/configuration.md", "dig @127.0.0.1 -p PORT api.local.local.external.local.gardener.cloud"))
	words[3], words[4] = port, name
	output, err := exec.CommandContext(t.Context(), words[0], words[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, output)
	}
	return strings.Join(strings.Fields(string(output)), " ") // columns have tabs or blanks between them
}

// exposed creates a shoot with an exposure class that has a handler, and connects to both front doors for both shoots.
func exposed(t *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "create", "-f", testdata(t, "exposed.yaml"))
	f.Gardener("shoot", "wait", "edge", "-n", project, "--timeout=10m")
	defer f.Gardener("shoot", "delete", "edge", "-n", project, "--yes", "--timeout=10m")
	resolver, usual := nameServer(t, f)
	_, port, _ := strings.Cut(usual, ":")
	edge := net.JoinHostPort(edgeAddress, port)

	own, others := advertised(t, f, "edge"), advertised(t, f, "rows")
	for _, host := range own {
		if got, err := resolver.LookupHost(t.Context(), host); err != nil || !slices.Equal(got, []string{edgeAddress}) {
			t.Errorf("%s resolves to %v, %v", host, got, err)
		}
	}
	for _, ask := range []struct {
		door, host string
		open       bool
	}{{edge, own["internal"], true}, {edge, others["internal"], false}, {usual, own["internal"], false}, {usual, others["internal"], true}} {
		conn, err := tls.Dial("tcp", ask.door, &tls.Config{ServerName: ask.host, InsecureSkipVerify: true}) //nolint:gosec // who answers is what matters
		if (err == nil) != ask.open {
			t.Errorf("the front door at %s answers for %s with %v", ask.door, ask.host, err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
	kubeconfig := f.Shoot(project, "edge")
	if server := f.Kubectl(kubeconfig, "config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}"); server != "https://"+edge {
		t.Errorf("the kubeconfig leads to %s", server)
	}
	if nodes := f.Kubectl(kubeconfig, "get", "nodes", "-o", "name"); strings.Count(nodes, "node/") != 1 {
		t.Errorf("nodes %q", nodes)
	}
	if got := f.get(f.Seed(), []string{"-n", "shoot--local--edge", "get", "gateways.networking.istio.io", "kube-apiserver"}, `{.spec.selector.handler\.exposureclass\.gardener\.cloud/name}`); got != "edge" {
		t.Errorf("the gateway is for handler %q", got)
	}
}
