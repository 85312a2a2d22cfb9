package rows

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/examples/monitoring"
)

// secretOf reads a key of the Secret with the access to the metrics of the shoot.
func (f *fixture) secretOf(t *testing.T, key string) string {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(f.garden("secret/rows.monitoring", "{.data."+key+"}"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// metricsClient trusts the garden's authority, which also vouches for the metrics.
func metricsClient(t *testing.T, f *fixture) *http.Client {
	t.Helper()
	config := load(t, []byte(f.Gardener("kubeconfig", "garden")))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(config.Clusters[config.Contexts[config.CurrentContext].Cluster].CertificateAuthorityData)
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}, DisableKeepAlives: true}}
}

func read(t *testing.T, client *http.Client, url string, login func(*http.Request)) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	login(req)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

var clusterLabel = regexp.MustCompile(`[{,]cluster="([^"]*)"`)

func metrics(t *testing.T, f *fixture) {
	t.Run("GLT-33 one address serves garden, seed and shoot, with labels, and all that dashboards and alert rules ask for", func(t *testing.T) { servedMetrics(t, f) })
	t.Run("GLT-33 nobody reads metrics without a credential, and users read those of their shoot", func(t *testing.T) { metricsOfUsers(t, f) })
	t.Run("GLT-33 a configuration of Prometheus is ready", func(t *testing.T) {
		config := f.Gardener("metrics", "scrape-config")
		for _, want := range []string{"honor_labels: true", "credentials: ", "BEGIN CERTIFICATE", strings.TrimPrefix(strings.TrimSuffix(metricsURL(f), "/metrics"), "https://")} {
			if !strings.Contains(config, want) {
				t.Errorf("the configuration lacks %q:\n%s", want, config)
			}
		}
	})
}

func metricsURL(f *fixture) string { return strings.TrimSpace(f.Gardener("metrics")) }

func servedMetrics(t *testing.T, f *fixture) {
	f.Eventually(2*time.Minute, "all servers answer", func() (bool, string) { // a controller manager that just started trusts nobody yet
		got := f.Gardener("metrics", "get", "--name", "up")
		return strings.Count(got, "\nup{") >= 12 && !strings.Contains(got, "} 0\n"), got
	})
	all := f.Gardener("metrics", "get")
	for _, cluster := range []string{"garden", "seed/local", "shoot/" + project + "/rows"} {
		if !regexp.MustCompile(`\napiserver_request_total\{cluster="` + cluster + `",instance="[^"]+",job="kube-apiserver",`).MatchString(all) {
			t.Errorf("there is no apiserver_request_total of %s", cluster)
		}
	}
	for _, series := range []string{
		`etcd_mvcc_db_total_size_in_bytes\{cluster="shoot/` + project + `/rows",instance="etcd-main-0",job="etcd",role="main"\}`,
		`kubelet_running_pods\{cluster="shoot/` + project + `/rows"`, `scheduler_pending_pods\{cluster="shoot/` + project + `/rows"`,
		`controller_runtime_reconcile_total\{cluster="garden"`, `container_memory_working_set_bytes\{cluster="seed/local"[^}]*namespace="` + technical + `"`,
	} {
		if !regexp.MustCompile(`\n` + series).MatchString(all) {
			t.Errorf("no series is like %s", series)
		}
	}
	expressions, err := monitoring.Expressions()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range monitoring.Names(expressions) {
		if !strings.Contains(all, "\n"+name+"{") {
			t.Errorf("dashboards or alert rules ask for %s, which nobody serves", name)
		}
	}
}

func metricsOfUsers(t *testing.T, f *fixture) {
	client, url, own := metricsClient(t, f), metricsURL(f), f.garden("secret/rows.monitoring", "{.metadata.annotations.url}")
	if want := url + "?scope=shoot/" + project + "/rows"; own != want {
		t.Errorf("the Secret names %q, want %q", own, want)
	}
	if status, body := read(t, client, url, func(*http.Request) {}); status != http.StatusUnauthorized {
		t.Errorf("without a credential the answer is %d: %.200s", status, body)
	}
	login := func(r *http.Request) { r.SetBasicAuth(f.secretOf(t, "username"), f.secretOf(t, "password")) }
	status, body := read(t, client, own, login)
	if status != http.StatusOK || !strings.Contains(body, "\napiserver_request_total{") {
		t.Errorf("the user of the shoot gets %d: %.200s", status, body)
	}
	for _, found := range clusterLabel.FindAllStringSubmatch(body, -1) {
		if found[1] != "shoot/"+project+"/rows" {
			t.Fatalf("the user of the shoot sees %s", found[1])
		}
	}
	for _, other := range []string{"", "?scope=garden", "?scope=seed/local", "?scope=shoot/" + project + "/broken"} {
		if status, body := read(t, client, url+other, login); status != http.StatusUnauthorized {
			t.Errorf("the user of the shoot gets %d at %q: %.200s", status, other, body)
		}
	}
	token := strings.TrimSpace(f.Kubectl(f.Garden(), "-n", project, "create", "token", "default", "--audience=metrics.gardener.cloud"))
	if status, body := read(t, client, own, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }); status != http.StatusForbidden {
		t.Errorf("a service account of the project gets %d: %.200s", status, body)
	}
}
