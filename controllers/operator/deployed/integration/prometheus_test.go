package integration

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// reader makes the service account of the Prometheus with its rights, and returns a token.
func reader(t *testing.T) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: prometheus.Garden}}
	for _, object := range append(prometheus.GardenRights(), account) {
		if err := cluster.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cluster.Delete(t.Context(), object) })
	}
	request := &authenticationv1.TokenRequest{}
	if err := cluster.SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// configured returns the files of the configuration of the Prometheus of a Garden, whose API server is that of the environment.
func configured(t *testing.T) map[string]string {
	t.Helper()
	objects, _, err := prometheus.GardenObjects(prometheus.GardenValues{
		Namespace: namespace, Prefix: "virtual-garden-", Image: "gardener:test", Members: 1, CAGardener: "ca-gardener",
		APIServer: prometheus.Server{Name: "virtual-garden-kube-apiserver", Port: 6443}, Gardener: prometheus.Server{Name: "gardener-apiserver", Port: 8443},
		Plain: []prometheus.Server{{Name: "gardener-scheduler", Port: 19251}},
	})
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(env.Config.Host)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		if config, ok := object.(*corev1.ConfigMap); ok {
			const service = "virtual-garden-kube-apiserver." + namespace + ".svc"
			text := strings.NewReplacer("prometheus-"+service, server.Hostname(), service, server.Hostname(), "port: 6443", "port: "+server.Port(), "30s", "1s", "10s", "1s").Replace(config.Data["prometheus.yaml"])
			return map[string]string{"config/prometheus.yaml": text, "config/rules.yaml": config.Data["rules.yaml"]}
		}
	}
	t.Fatal("there is no configuration")
	return nil
}

func TestPrometheus(t *testing.T) {
	token := reader(t)
	t.Run("OPR-17 the token reads metrics and nothing else", func(t *testing.T) {
		as, err := kubernetes.NewForConfig(&rest.Config{Host: env.Config.Host, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAData: env.Config.CAData}})
		if err != nil {
			t.Fatal(err)
		}
		if metrics, err := as.RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context()); err != nil || !strings.Contains(string(metrics), "apiserver_request_total") {
			t.Errorf("%.200s, %v", metrics, err)
		}
		for _, verb := range []func() error{
			func() error { return as.RESTClient().Get().AbsPath("/debug/pprof/heap").Do(t.Context()).Error() },
			func() error { _, err := as.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); return err },
			func() error { _, err := as.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); return err },
		} {
			if err := verb(); !apierrors.IsForbidden(err) {
				t.Errorf("it may do more: %v", err)
			}
		}
	})
	t.Run("OPR-17 the program takes the configuration, asks the API server with the token, and misses what is not there", func(t *testing.T) {
		files := configured(t)
		files["access/token"], files["ca/bundle.crt"], files["ca-gardener/bundle.crt"] = token, string(env.Config.CAData), string(env.Config.CAData)
		ask := startPrometheus(t, files)
		testwait.For(t, time.Minute, "it has asked all", func() error {
			up, err := ask("/api/v1/query?query=up")
			if err != nil {
				return err
			}
			for job, want := range map[string]string{
				"kube-apiserver": "1", "kube-controller-manager": "0", "etcd": "0", "gardener-apiserver": "0", "gardener-scheduler": "0",
			} {
				if up[job] != want {
					targets, _ := ask("/api/v1/query?query=scrape_duration_seconds")
					return fmt.Errorf("%s is %q, want %q: %v", job, up[job], want, targets)
				}
			}
			return nil
		})
	})
}

// startPrometheus starts the program with these files, and returns a function that asks it for a value per job.
func startPrometheus(t *testing.T, files map[string]string) func(path string) (map[string]string, error) {
	t.Helper()
	dir, err := os.MkdirTemp(env.Dir, "prometheus-") // which outlives the program
	if err != nil {
		t.Fatal(err)
	}
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
	files["server/tls.crt"], files["server/tls.key"], files["users/username"], files["users/password"] = string(cert), string(key), "admin", "secret"
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address := net.JoinHostPort("127.0.0.1", fmt.Sprint(testport.Free(t)))
	in := func(name string) string { return filepath.Join(dir, name) }
	err = env.StartComponent("prometheus", "--config-file="+in("config/prometheus.yaml"), "--data-dir="+in("data"), "--bind-address="+address,
		"--tls-cert-file="+in("server/tls.crt"), "--tls-private-key-file="+in("server/tls.key"), "--users-dir="+in("users"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(pair.Cert)
	https := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}}}
	return func(path string) (map[string]string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+path, http.NoBody)
		if err != nil {
			return nil, err
		}
		request.SetBasicAuth("admin", "secret")
		response, err := https.Do(request)
		if err != nil {
			return nil, err
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		var answer struct {
			Data struct {
				Result []struct {
					Metric struct{ Job string }
					Value  [2]any
				}
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			return nil, fmt.Errorf("%s: %.300s", response.Status, body)
		}
		out := map[string]string{}
		for _, one := range answer.Data.Result {
			out[one.Metric.Job] = fmt.Sprint(one.Value[1])
		}
		return out, nil
	}
}
