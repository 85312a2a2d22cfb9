package rows

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// subresource is the path for requesting kubeconfigs.
const subresource = "/apis/core.gardener.cloud/v1beta1/namespaces/" + project + "/shoots/rows/adminkubeconfig"

func adminKubeconfig(t *testing.T, f *fixture) {
	request := f.File("request.json", `{"apiVersion":"authentication.gardener.cloud/v1alpha1","kind":"AdminKubeconfigRequest","spec":{"expirationSeconds":3600}}`)
	var answer struct {
		Status struct {
			ExpirationTimestamp time.Time
			Kubeconfig          []byte
		}
	}
	if err := json.Unmarshal([]byte(f.Kubectl(f.Garden(), "create", "--raw", subresource, "-f", request)), &answer); err != nil {
		t.Fatal(err)
	}
	if left := time.Until(answer.Status.ExpirationTimestamp); left < 55*time.Minute || left > time.Hour {
		t.Errorf("ends in %s, want an hour", left)
	}
	if who := f.Kubectl(f.File("raw.yaml", string(answer.Status.Kubeconfig)), "auth", "whoami", "-o", "jsonpath={.status.userInfo.username} {.status.userInfo.groups}"); !strings.HasPrefix(who, "gardener-admin ") || !strings.Contains(who, "system:masters") {
		t.Errorf("the shoot sees %q", who)
	}
	config := load(t, answer.Status.Kubeconfig)
	block, _ := pem.Decode(config.AuthInfos[config.Contexts[config.CurrentContext].AuthInfo].ClientCertificateData)
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if certificate.Subject.CommonName != "gardener-admin" || strings.Join(certificate.Subject.Organization, " ") != "system:masters" {
		t.Errorf("the certificate is for %s", certificate.Subject)
	}
	addresses := strings.Fields(f.get(f.Garden(), []string{"-n", project, "get", "shoot", "rows"}, "{.status.advertisedAddresses[*].name}"))
	addresses = without(addresses, "service-account-issuer")
	if len(config.Contexts) != len(addresses) || !strings.HasSuffix(config.CurrentContext, addresses[0]) {
		t.Errorf("%d contexts, current %q, for the addresses %v", len(config.Contexts), config.CurrentContext, addresses)
	}
	if r := f.TryKubectl(f.Garden(), "get", "--raw", subresource); r.Code == 0 || !strings.Contains(r.Stderr, "MethodNotAllowed") {
		t.Errorf("reading: code %d, %s", r.Code, r.Stderr)
	}
}

func without(list []string, unwanted string) []string {
	var out []string
	for _, item := range list {
		if item != unwanted {
			out = append(out, item)
		}
	}
	return out
}

func load(t *testing.T, kubeconfig []byte) *clientcmdapi.Config {
	t.Helper()
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func staticToken(t *testing.T, f *fixture) {
	if got := f.garden("secrets", "{.items[*].metadata.name}"); strings.Contains(got, "rows.kubeconfig") {
		t.Errorf("the secret exists without a request, among %s", got)
	}
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", "rows", "--type=merge", "-p", `{"spec":{"kubernetes":{"enableStaticTokenKubeconfig":true}}}`)
	f.Gardener("shoot", "wait", "rows", "-n", project, "--timeout=10m")
	var secret struct {
		Data struct{ Kubeconfig, Token []byte }
	}
	if err := json.Unmarshal([]byte(f.Kubectl(f.Garden(), "-n", project, "get", "secret", "rows.kubeconfig", "-o", "json")), &secret); err != nil {
		t.Fatal(err)
	}
	config := load(t, secret.Data.Kubeconfig)
	if token := config.AuthInfos[config.Contexts[config.CurrentContext].AuthInfo].Token; token == "" || token != string(secret.Data.Token) {
		t.Error("the kubeconfig does not hold the token of the Secret")
	}
	f.Eventually(time.Minute, "the API server knows the token", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "auth", "whoami", "--token="+string(secret.Data.Token), "-o", "jsonpath={.status.userInfo.groups}")
		return strings.Contains(r.Stdout, "system:masters"), r.Stdout + r.Stderr
	})
	// Within seconds back to the former configuration, whose secret the nodes still have in their cache.
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", "rows", "--type=merge", "-p", `{"spec":{"kubernetes":{"enableStaticTokenKubeconfig":false}}}`)
	f.Gardener("shoot", "wait", "rows", "-n", project, "--timeout=10m")
	if r := f.TryKubectl(f.Garden(), "-n", project, "get", "secret", "rows.kubeconfig"); r.Code == 0 {
		t.Error("the token's Secret is still there")
	}
}

func routes(t *testing.T, f *fixture) {
	domain := f.get(f.Garden(), []string{"-n", project, "get", "shoot", "rows"}, "{.spec.dns.domain}")
	server := f.seed("gateways.networking.istio.io", "{.items[0].spec.servers[0].port.protocol} {.items[0].spec.servers[0].tls.mode} {.items[0].spec.servers[0].hosts}")
	if !strings.HasPrefix(server, "TLS PASSTHROUGH ") || !strings.Contains(server, `"api.`+domain+`"`) || !strings.Contains(server, `"api.rows.local.internal.`) {
		t.Errorf("gateway: %s", server)
	}
	route := f.seed("virtualservices.networking.istio.io", "{.items[0].spec.tls[0].match[0].sniHosts} {.items[0].spec.tls[0].route[0].destination.host}")
	if !strings.Contains(route, `"api.`+domain+`"`) || !strings.HasSuffix(route, " kube-apiserver."+technical+".svc.cluster.local") {
		t.Errorf("virtual service: %s", route)
	}
}

// published compares the Endpoints of the Service kubernetes in the shoot with the Service in the seed, connects to the
// address, and changes the parts of these objects that may change.
func published(t *testing.T, f *fixture) {
	service := f.seed("service", "{.spec.clusterIP}", "kube-apiserver")
	want := net.JoinHostPort(service, "6443")
	for _, object := range []struct{ kind, path string }{
		{"endpoints", "{.subsets[*].addresses[*].ip}:{.subsets[*].ports[*].port}"},
		{"endpointslice", "{.endpoints[*].addresses[*]}:{.ports[*].port}"},
	} {

		f.Eventually(time.Minute, "the address is in "+object.kind, func() (bool, string) {
			r := f.TryKubectl(f.shoot, "get", object.kind, "kubernetes", "-o", "jsonpath="+object.path)
			return r.Stdout == want, r.Stdout + r.Stderr
		})
		f.Kubectl(f.shoot, "label", object.kind, "kubernetes", "e2e=changed")
	}
	config := load(t, []byte(f.Gardener("kubeconfig", "shoot", project+"/rows")))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.Clusters[config.Contexts[config.CurrentContext].Cluster].CertificateAuthorityData)
	conn, err := tls.Dial("tcp", want, &tls.Config{RootCAs: roots, ServerName: "kubernetes.default.svc"})
	if err != nil {
		t.Fatalf("the published address does not lead to the API server of the shoot: %v", err)
	}
	_ = conn.Close()
}

func names(t *testing.T, f *fixture) {
	records := f.seed("dnsrecords", `{range .items[*]}{.spec.name} {.spec.recordType} {.status.lastOperation.state}{"\n"}{end}`)
	isOwner := func(line string) bool {
		return strings.HasPrefix(line, "owner.rows.local.internal.") && strings.HasSuffix(line, " TXT Succeeded")
	}
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(records), "\n"), isOwner)
	if len(lines) != 2 {
		t.Fatalf("records:\n%s", records)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "api.rows.local.") || !strings.HasSuffix(line, " A Succeeded") {
			t.Errorf("record %s", line)
		}
	}
	// A machine found its API server by the internal address.
	if got := f.onMachine("one", machineRoot+"/var/lib/kubelet/kubeconfig-real"); !strings.Contains(got, "https://api.rows.local.internal.") {
		t.Errorf("kubeconfig of a kubelet:\n%s", got)
	}
}

// frontDoor does TLS handshakes with and without the name of the API server of the shoot.
func frontDoor(t *testing.T, f *fixture) {
	config := load(t, []byte(f.Gardener("kubeconfig", "shoot", project+"/rows")))
	entry := config.Clusters[config.Contexts[config.CurrentContext].Cluster]
	_, door := nameServer(t, f)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(entry.CertificateAuthorityData)
	conn, err := tls.Dial("tcp", door, &tls.Config{RootCAs: roots, ServerName: advertised(t, f, "rows")["external"]})
	if err != nil {
		t.Fatalf("the API server does not show its own certificate: %v", err)
	}
	_ = conn.Close()
	for what, name := range map[string]string{"without a name": "", "with an unknown name": "api.unknown.example.org"} {
		conn, err := tls.Dial("tcp", door, &tls.Config{InsecureSkipVerify: true, ServerName: name}) //nolint:gosec // no server should answer
		if err == nil {
			t.Errorf("%s: a server answers with %s", what, conn.ConnectionState().PeerCertificates[0].Subject)
			_ = conn.Close()
		}
	}
}
