package prometheus

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/prometheus/settings"
	"github.com/gardener-up/gardener-up/embedded/testwait"
	"github.com/gardener-up/gardener-up/embedded/unpack"
)

// cluster is an API server with one node, which forwards questions for its metrics to whoever has the token.
func cluster(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Authorization") != "Bearer the-token":
		http.Error(w, "who are you?", http.StatusUnauthorized)
	case r.URL.Path == "/api/v1/nodes":
		_, _ = io.WriteString(w, `{"items":[{"metadata":{"name":"one","labels":{"a.b/c":"d"}},"status":{"addresses":[{"type":"InternalIP","address":"127.64.0.1"}]}}]}`)
	case r.URL.Path == "/api/v1/nodes/one/proxy/metrics":
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = io.WriteString(w, "answer 42\n")
	case r.URL.Path == "/metrics":
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = io.WriteString(w, "pods 7\n")
	default:
		http.NotFound(w, r)
	}
}

const configuration = `
global: {scrape_interval: 100ms, scrape_timeout: 100ms, evaluation_interval: 100ms}
rule_files: [rules.yaml]
scrape_configs:
- job_name: kubelet
  authorization: {credentials_file: token}
  kubernetes_sd_configs: [{role: node, api_server: "http://$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)", authorization: {credentials_file: token}}]
  relabel_configs:
  - {target_label: __address__, replacement: "$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)"}
  - {source_labels: [__meta_kubernetes_node_name], target_label: __metrics_path__, replacement: /api/v1/nodes/$1/proxy/metrics}
- job_name: named
  authorization: {credentials_file: token}
  dns_sd_configs: [{names: [localhost], type: A, port: $(KUBERNETES_SERVICE_PORT)}]
`

const rules = `groups: [{name: all, rules: [{alert: Answered, expr: answer == 42}]}]`

// program is a Prometheus that runs.
type program struct {
	dir, address string
	client       *http.Client
	process      *exec.Cmd
	log          *bytes.Buffer
}

func newProgram(t *testing.T) *program {
	t.Helper()
	p := &program{dir: t.TempDir(), log: &bytes.Buffer{}}
	template := &x509.Certificate{NotAfter: time.Now().Add(time.Hour)}
	certificate.AddHosts(template, "127.0.0.1")
	pair, err := certificate.SelfSigned(template)
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := pair.PEM()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"tls.crt": string(cert), "tls.key": string(key), "prometheus.yaml": configuration, "rules.yaml": rules, "token": "the-token", "username": "admin", "password": "secret",
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AddCert(pair.Cert)
	p.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}}}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.address = listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}

// start runs the program, which asks an API server.
func (p *program) start(t *testing.T, server *httptest.Server) {
	t.Helper()
	file, err := unpack.Program(built, filepath.Join(p.dir, programs), Name, errNotBuiltIn)
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(p.dir, name) }
	p.process = exec.CommandContext(t.Context(), file, arguments(settings.Settings{
		ConfigFile: in("prometheus.yaml"), DataDir: in("data"), BindAddress: p.address, CertFile: in("tls.crt"), KeyFile: in("tls.key"), UsersDir: p.dir,
		Retention: 24 * time.Hour, MaxSize: 1 << 20,
	})...)
	host, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	p.process.Env = append(os.Environ(), "KUBERNETES_SERVICE_HOST="+host, "KUBERNETES_SERVICE_PORT="+port)
	p.process.Stderr, p.process.SysProcAttr = p.log, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
}

func (p *program) stop(t *testing.T) {
	t.Helper()
	if err := p.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.process.Wait(); err != nil {
		t.Fatalf("it ends with %v:\n%s", err, p.log)
	}
}

func (p *program) ask(t *testing.T, path, password string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+p.address+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if password != "" {
		req.SetBasicAuth("admin", password)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// until waits for an answer with a text.
func (p *program) until(t *testing.T, path, want string) {
	t.Helper()
	testwait.Until(t, want, func() error {
		if status, body := p.ask(t, path, "secret"); status != http.StatusOK || !strings.Contains(body, want) {
			return fmt.Errorf("%s answers %d: %.500s", path, status, body)
		}
		return nil
	})
}

func TestProgram(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(cluster))
	defer server.Close()
	p := newProgram(t)
	p.start(t, server)
	t.Run("KON-4 it finds nodes and asks them through the API server", func(t *testing.T) {
		p.until(t, "/api/v1/query?query=answer", `"instance":"one","job":"kubelet"}`)
		p.until(t, "/api/v1/targets", "/api/v1/nodes/one/proxy/metrics")
	})
	t.Run("OPR-17 it finds the addresses of a name and asks them", func(t *testing.T) {
		p.until(t, "/api/v1/query?query=pods", `"instance":"127.0.0.1:`)
	})
	t.Run("GLT-33 it evaluates rules", func(t *testing.T) {
		p.until(t, "/api/v1/alerts", `"alertname":"Answered"`)
		p.until(t, "/api/v1/rules", `"state":"firing"`)
	})
	t.Run("GLT-33 it answers what dashboards ask", func(t *testing.T) {
		p.until(t, "/api/v1/labels", `"instance"`)
		p.until(t, "/api/v1/label/__name__/values", `"answer"`)
		p.until(t, "/api/v1/series?match[]=answer", `"__name__":"answer"`)
		p.until(t, fmt.Sprintf("/api/v1/query_range?query=answer&start=%d&end=%d&step=1", time.Now().Unix()-5, time.Now().Unix()+1), `"values":[[`)
		p.until(t, "/api/v1/status/buildinfo", `"version":"3.`)
	})
	t.Run("GLT-33 mistakes of questions are the client's", func(t *testing.T) {
		for path, want := range map[string]int{
			"/api/v1/query?query=up(":                                 http.StatusBadRequest,
			"/api/v1/query_range?query=up&start=1&end=1000000&step=1": http.StatusBadRequest,
			"/api/v1/query_range?query=up&start=2&end=1&step=1":       http.StatusBadRequest,
			"/api/v1/series": http.StatusBadRequest,
			"/api/v1/query?query=label_replace(up,%22a%22,%22b%22,%22job%22,%22(%22)": http.StatusUnprocessableEntity,
		} {
			status, body := p.ask(t, path, "secret")
			var answer struct{ Status, Error string }
			if err := json.Unmarshal([]byte(body), &answer); status != want || err != nil || answer.Status != "error" || answer.Error == "" {
				t.Errorf("%s answers %d: %s", path, status, body)
			}
		}
	})
	t.Run("GLT-33 nobody asks it without the password, and everybody learns that it serves", func(t *testing.T) {
		for password, path := range map[string]string{"": "/api/v1/query?query=up", "other": "/metrics"} {
			if status, _ := p.ask(t, path, password); status != http.StatusUnauthorized {
				t.Errorf("%s with the password %q answers %d", path, password, status)
			}
		}
		if status, _ := p.ask(t, "/-/ready", ""); status != http.StatusOK {
			t.Errorf("whether it is ready is answered by %d", status)
		}
	})
	t.Run("GLT-33 what it has stored survives its end", func(t *testing.T) {
		p.stop(t)
		server.Close()
		p.start(t, server)
		p.until(t, "/api/v1/query?query=count_over_time(answer[5m])", `"instance":"one"`)
		p.stop(t)
	})
}

// The configuration is read before the time series are. A pipe keeps the program from both until the test writes.
func TestLivesWhileItOpens(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(cluster))
	defer server.Close()
	p := newProgram(t)
	pipe := filepath.Join(p.dir, "prometheus.yaml")
	if err := errors.Join(os.Remove(pipe), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	p.start(t, server)
	t.Run("GLT-33 it lives, but is not ready, while it reads what it has stored", func(t *testing.T) {
		p.until(t, "/-/healthy", "ok")
		for _, path := range []string{"/-/ready", "/api/v1/query?query=up"} {
			if status, body := p.ask(t, path, "secret"); status != http.StatusServiceUnavailable {
				t.Errorf("%s answers %d: %s", path, status, body)
			}
		}
		if err := os.WriteFile(pipe, []byte(configuration), 0o600); err != nil {
			t.Fatal(err)
		}
		p.until(t, "/-/ready", "ok")
		p.until(t, "/api/v1/query?query=answer", `"instance":"one"`)
		p.stop(t)
	})
	t.Run("GLT-33 it can be stopped meanwhile", func(t *testing.T) {
		p.start(t, server)
		p.until(t, "/-/healthy", "ok")
		p.stop(t)
	})
}

func TestMistakesOfFlags(t *testing.T) {
	missing := (&settings.Settings{Retention: time.Minute}).Validate()
	for _, want := range []string{"--config-file", "--data-dir", "--tls-cert-file", "--tls-private-key-file", "--users-dir", "--retention"} {
		if missing == nil || !strings.Contains(missing.Error(), want) {
			t.Errorf("the error does not name %s: %v", want, missing)
		}
	}
}
