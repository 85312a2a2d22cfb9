package kind

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

const echo = "docker.io/e2e/echo:dev"

var work = []step{
	{"VPN-3 a container really runs and its output is read", logs, true},
	{"a Service is served on one node", server, false},
	{"VPN-3 a command runs in a container", execute, true},
	{"VPN-3 a port of a pod is forwarded", forward, true},
	{"a Service is reached across nodes", acrossNodes, true},
	{"names of Services are resolved", resolve, true},
	{"a volume is bound and written to", volume, true},
	{"SNI-7 SNI-9 SNI-10 pods reach kubernetes.default.svc", apiServer, true},
	{"VPN-3 the API server calls a webhook in the shoot", webhook, true},
}

// runPod runs the test image to its end and returns what it printed.
func (f *fixture) runPod(t *testing.T, name, node string, args ...string) string {
	t.Helper()
	f.startPod(name, node, "", args...)
	return f.ended(t, name)
}

// startPod starts the test image, on a node or on any.
func (f *fixture) startPod(name, node, env string, args ...string) {
	run := []string{"run", name, "--image=" + echo, "--restart=Never"}
	if node != "" {
		run = append(run, fmt.Sprintf(`--overrides={"spec":{"nodeSelector":{"kubernetes.io/hostname":%q}}}`, node))
	}
	if env != "" {
		run = append(run, "--env="+env)
	}
	f.kube(append(append(run, "--"), args...)...)
}

// ended waits until a pod has ended and returns its output.
func (f *fixture) ended(t *testing.T, name string) string {
	t.Helper()
	phase := ""
	f.await(2*time.Minute, "pod "+name+" ends", func() (bool, string) {
		phase = f.TryKubectl(f.kubeconfig(), "get", "pod", name, "-o", "jsonpath={.status.phase}").Stdout
		return phase == "Succeeded" || phase == "Failed", phase
	})
	output := ""
	f.await(time.Minute, "the output of pod "+name, func() (bool, string) {
		r := f.TryKubectl(f.kubeconfig(), "logs", name)
		output = r.Stdout
		return r.Code == 0, r.Stderr
	})
	f.kube("delete", "pod", name, "--wait=false")
	if phase != "Succeeded" {
		t.Errorf("pod %s: %s: %s", name, phase, output)
	}
	return output
}

func logs(t *testing.T, f *fixture) {
	if got := f.runPod(t, "hello", "", "print", "hello", "from", "a", "real", "container"); got != "hello from a real container\n" {
		t.Errorf("output %q", got)
	}
}

// server starts the server, on the first node, with a certificate for its use as a webhook.
func server(t *testing.T, f *fixture) {
	cert := newCertificate(t, "server.default.svc")
	f.kube("create", "secret", "tls", "server-tls", "--cert="+f.File("tls.crt", cert.cert), "--key="+f.File("tls.key", cert.key))
	f.apply(t, "server.yaml", "NODE", f.nodeNames("")[0])
	f.kube("rollout", "status", "deployment/server", "--timeout=10m")
}

func execute(t *testing.T, f *fixture) {
	if got := f.kube("exec", "deployment/server", "--", "echo", "print", "from inside"); got != "from inside\n" {
		t.Errorf("output %q", got)
	}
	if r := f.TryKubectl(f.kubeconfig(), "exec", "deployment/server", "--", "echo", "no-such-verb", "x"); r.Code != 1 || !strings.Contains(r.Stderr, "unknown verb") {
		t.Errorf("a command that fails: exit code %d, %s", r.Code, r.Stderr)
	}
}

func forward(t *testing.T, f *fixture) {
	forward := f.StartKubectl(f.kubeconfig(), "", "port-forward", "deployment/server", ":8080")
	forward.Says(time.Minute, "Forwarding from")
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(forward.Output())
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Get("http://" + address + "/env/GREETING")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got, err := io.ReadAll(response.Body); err != nil || string(got) != "from the server\n" {
		t.Errorf("answer %q, %v", got, err)
	}
}

func acrossNodes(t *testing.T, f *fixture) {
	pod := strings.TrimSpace(f.kube("get", "pods", "-l", "app=server", "-o", "jsonpath={.items[0].metadata.name}"))
	f.startPod("near", f.nodeNames("")[0], "", "get", "http://server/hostname")
	f.startPod("far", f.nodeNames("")[1], "", "get", "http://server.default.svc/hostname")
	for _, name := range []string{"near", "far"} {
		if got := f.ended(t, name); got != pod+"\n" {
			t.Errorf("%s: %q, want %q", name, got, pod)
		}
	}
}

func resolve(t *testing.T, f *fixture) {
	want := f.kube("get", "service", "server", "-o", "jsonpath={.spec.clusterIP}")
	nodes := f.nodeNames("")
	for n, node := range nodes {
		f.startPod(fmt.Sprintf("lookup-%d", n), node, "", "lookup", "server.default.svc.cluster.local")
	}
	for n, node := range nodes {
		if got := f.ended(t, fmt.Sprintf("lookup-%d", n)); strings.TrimSpace(got) != want {
			t.Errorf("on node %s: %q, want %q", node, got, want)
		}
	}
}

func volume(t *testing.T, f *fixture) {
	f.apply(t, "volume.yaml")
	f.kube("wait", "--for=condition=Ready", "pod/keeper", "--timeout=10m")
	if phase := f.kube("get", "persistentvolumeclaim", "data", "-o", "jsonpath={.status.phase}"); phase != "Bound" {
		t.Errorf("the claim is %s", phase)
	}
	f.kube("delete", "-f", testdata(t, "volume.yaml"), "--timeout=10m")
}

// apiServer asks by name and with the certificates of the pod, first as nobody, then with its service account by a client
// that finds the API server as all clients in clusters do.
func apiServer(t *testing.T, f *fixture) {
	f.startPod("nobody", "", "SSL_CERT_FILE=/var/run/secrets/kubernetes.io/serviceaccount/ca.crt", "get", "https://kubernetes.default.svc/version")
	f.await(2*time.Minute, "the API server answers", func() (bool, string) {
		r := f.TryKubectl(f.kubeconfig(), "logs", "nobody")
		return strings.Contains(r.Stdout, "Unauthorized") || strings.Contains(r.Stdout, "gitVersion"), r.Stdout + r.Stderr
	})
	f.kube("delete", "pod", "nobody", "--wait=false")

	image := f.kube("-n", "kube-system", "get", "deployment", "vpn-shoot-client", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
	nodes := f.nodeNames("")
	for n, node := range nodes {
		f.apply(t, "client.yaml", "NAME", fmt.Sprintf("client-%d", n), "NODE", node, "IMAGE", image)
	}
	for n, node := range nodes {
		if got := f.ended(t, fmt.Sprintf("client-%d", n)); !strings.Contains(got, "system:serviceaccount:default:default") {
			t.Errorf("on node %s the client is %q", node, got)
		}
	}
}

func webhook(t *testing.T, f *fixture) {
	bundle := f.kube("get", "secret", "server-tls", "-o", `jsonpath={.data.tls\.crt}`)
	if _, err := base64.StdEncoding.DecodeString(bundle); err != nil {
		t.Fatal(err)
	}
	f.apply(t, "webhook.yaml", "BUNDLE", bundle)
	defer f.kube("delete", "validatingwebhookconfiguration", "echo")
	create := func(name, labels string) string {
		r := f.TryKubectl(f.kubeconfig(), "create", "-f", f.File(name+".yaml",
			fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: default, labels: {%s}}}", name, labels)))
		return r.Stdout + r.Stderr
	}
	f.await(time.Minute, "the webhook refuses", func() (bool, string) {
		said := create("refused", `echo.e2e/ask: "yes", echo.e2e/deny: "yes"`)
		if strings.Contains(said, "created") { // the API server did not know of the webhook yet
			f.kube("delete", "configmap", "refused")
		}
		return strings.Contains(said, "denied by echo"), said
	})
	if said := create("allowed", `echo.e2e/ask: "yes"`); !strings.Contains(said, "created") {
		t.Errorf("what the webhook allows is refused: %s", said)
	}
	if served := f.kube("logs", "deployment/server"); !strings.Contains(served, "POST /validate") {
		t.Errorf("the webhook was not called:\n%s", served)
	}
}
