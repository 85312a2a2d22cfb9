package addons

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

// monitor switches monitoring on.
func monitor(t *testing.T, l *framework.Landscape) {
	text, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(l.Config, string(text)+"gardenlet: {monitoring: {shoot: {enabled: true}}}\n"); err != nil {
		t.Fatal(err)
	}
}

// door is that of a Prometheus in the seed.
type door struct {
	t              *testing.T
	url            string
	client         *http.Client
	user, password string
}

func newDoor(t *testing.T, l *framework.Landscape, namespace, name string, authority []byte, secret map[string]string) door {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	address := strings.TrimSpace(l.Kubectl(l.Seed(), "-n", namespace, "get", "pod", name+"-0", "-o", "jsonpath={.status.podIP}"))
	return door{
		t: t, url: "https://" + address + ":9090", user: secret["username"], password: secret["password"],
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{
			DisableKeepAlives: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, ServerName: name},
		}},
	}
}

func (d door) ask(path, password string) (int, string) {
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.url+path, http.NoBody)
	if err != nil {
		d.t.Fatal(err)
	}
	req.SetBasicAuth(d.user, password)
	resp, err := d.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// targets are the URLs that are asked, by job, and those that do not answer, with the reason.
func (d door) targets() (up map[string]string, down []string) {
	status, body := d.ask("/api/v1/targets", d.password)
	answer := struct {
		Data struct {
			ActiveTargets []struct{ ScrapeURL, ScrapePool, Health, LastError string }
		}
	}{}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusOK {
		return nil, []string{body}
	}
	up = map[string]string{}
	for _, target := range answer.Data.ActiveTargets {
		if target.Health != "up" {
			down = append(down, target.ScrapeURL+": "+target.Health+" "+target.LastError)
			continue
		}
		up[target.ScrapePool] = target.ScrapeURL
	}
	return up, down
}

// await waits until these jobs answer, and no target does not.
func (d door) await(l *framework.Landscape, jobs ...string) map[string]string {
	var found map[string]string
	l.Eventually(3*time.Minute, "all targets answer", func() (bool, string) {
		up, down := d.targets()
		found = up
		for _, job := range jobs {
			if up[job] == "" {
				down = append(down, job+" is not up")
			}
		}
		return len(down) == 0, strings.Join(down, "\n")
	})
	return found
}

func secret(t *testing.T, l *framework.Landscape, kubeconfig, namespace string, which ...string) map[string]string {
	list := struct {
		Items []struct{ Data map[string]string }
	}{}
	text := l.Kubectl(kubeconfig, append([]string{"-n", namespace, "get", "secret", "-o", "json"}, which...)...)
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Items) != 1 {
		t.Fatalf("%d Secrets %v: %v", len(list.Items), which, err)
	}
	out := map[string]string{}
	for key, value := range list.Items[0].Data {
		decoded, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			t.Fatal(err)
		}
		out[key] = string(decoded)
	}
	return out
}

func monitored(t *testing.T, l *framework.Landscape, kubeconfig string) {
	t.Run("GLT-33 KON-4 the Prometheus of the shoot asks the control plane, and nodes through the API server", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(l.Seed(), "-n", technical, "rollout", "status", "statefulset/prometheus-shoot", "--timeout=3m")
		config, err := clientcmd.LoadFromFile(kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		authority := config.Clusters[config.Contexts[config.CurrentContext].Cluster].CertificateAuthorityData
		users := secret(t, l, l.Garden(), project, "--field-selector=metadata.name="+shoot+".monitoring")
		prometheus := newDoor(t, l, technical, "prometheus-shoot", authority, users)
		up := prometheus.await(l, "kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd", "kubelet", "kubelet-resources")
		if got := up["kubelet"]; !strings.Contains(got, ":6443/api/v1/nodes/") || !strings.HasSuffix(got, "/proxy/metrics") {
			t.Errorf("KON-4 kubelets are asked at %s", got)
		}
		if status, body := prometheus.ask("/api/v1/query?query=apiserver_request_total", prometheus.password); status != http.StatusOK || !strings.Contains(body, `"cluster":"shoot/`+project+"/"+shoot+`"`) {
			t.Errorf("a query is answered by %d: %.300s", status, body)
		}
		if status, body := prometheus.ask("/api/v1/rules", prometheus.password); status != http.StatusOK || !strings.Contains(body, "EtcdAlmostFull") {
			t.Errorf("the rules are %d: %.300s", status, body)
		}
		if status, _ := prometheus.ask("/api/v1/query?query=up", "wrong"); status != http.StatusUnauthorized {
			t.Errorf("a wrong password is answered by %d", status)
		}
	})
	t.Run("GLT-33 a condition tells that the Prometheus of the shoot runs", func(t *testing.T) {
		l := l.For(t)
		l.Eventually(2*time.Minute, "the condition is True", func() (bool, string) {
			got := l.Kubectl(l.Garden(), "-n", project, "get", "shoot", shoot, "-o", `jsonpath={.status.conditions[?(@.type=="ObservabilityComponentsHealthy")].status}`)
			return strings.TrimSpace(got) == "True", got
		})
	})
	t.Run("GLT-14 the Prometheus of the seed asks its API server", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(l.Seed(), "-n", "garden", "rollout", "status", "statefulset/prometheus-seed", "--timeout=3m")
		users := secret(t, l, l.Seed(), "garden", "-l", "name=prometheus-seed-users")
		authority := secret(t, l, l.Seed(), "garden", "-l", "name=ca-prometheus-seed")["ca.crt"]
		newDoor(t, l, "garden", "prometheus-seed", []byte(authority), users).await(l, "kube-apiserver")
	})
	asDocumented(t, l)
	t.Run("GLT-33 a shoot for tests has no Prometheus", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(l.Garden(), "-n", project, "patch", "shoot", shoot, "--type=merge", "-p", `{"spec":{"purpose":"testing"}}`)
		l.Eventually(3*time.Minute, "the Prometheus goes", func() (bool, string) {
			left := l.Kubectl(l.Seed(), "-n", technical, "get", "statefulsets,services,secrets,managedresources", "-o", "name")
			condition := l.Kubectl(l.Garden(), "-n", project, "get", "shoot", shoot, "-o", `jsonpath={.status.conditions[?(@.type=="ObservabilityComponentsHealthy")]}`)
			return !strings.Contains(left, "/prometheus-") && !strings.Contains(left, "shoot-access-prometheus") && !strings.Contains(left, "shoot-core-prometheus") && condition == "", left + condition
		})
	})
}

// asDocumented asks the Prometheus of the seed as docs/monitoring.md says, by a port that is free.
func asDocumented(t *testing.T, l *framework.Landscape) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	reader := follow.New(t, l)
	reader.Names = []string{" 9090 &", " " + port + ":9090 &", "localhost:9090", "localhost:" + port}
	reader.Follow(t, "docs/monitoring.md", follow.Steps(t, "docs/monitoring.md", "e2e/addons"))
}
