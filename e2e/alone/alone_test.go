// Package alone starts each server of the binary as a process of its own, with no more flags than it needs.
package alone

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// garden is etcd and the component garden, both processes. All other components use it.
var garden *gardenapitest.Garden

func TestMain(m *testing.M) {
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, group := range []func() ([]*apiextensionsv1.CustomResourceDefinition, error){crds.Extensions, crds.Resources, crds.Machine, crds.Autoscaling, crds.OpenIDConnect, crds.Istio, crds.Operator, crds.Druid} {
		some, err := group()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		all = append(all, some...)
	}
	gardenapitest.Main(m, gardenapitest.Options{Process: true, Env: testenv.Options{CRDs: all}}, func(g *gardenapitest.Garden) { garden = g })
}

// server is a component with the flags that it needs.
type server struct {
	name  string
	flags []string
	// url is where it serves its health; host:port if it only listens.
	url string
}

func TestServers(t *testing.T) {
	t.Setenv("CONTROL_KUBECONFIG", garden.Kubeconfig)                             // where the autoscaler finds machines
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden"}} // where the operator keeps its certificates
	if _, err := kubernetes.NewForConfigOrDie(garden.Config).CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	for _, s := range servers(t) {
		t.Run("APP-7 "+s.name+" starts alone and serves", func(t *testing.T) {
			if err := garden.StartComponent(s.name, s.flags...); err != nil {
				t.Fatal(err)
			}
			defer end(t, s.name)
			if err := testwait.Try(t.Context(), 2*time.Minute, func() error { return serves(t.Context(), s.url) }); err != nil {
				log, _ := os.ReadFile(filepath.Join(garden.Dir, s.name+".log"))
				t.Errorf("%s: %v\n%s", s.url, err, log[max(0, len(log)-4000):])
			}
		})
	}
	t.Run("APP-7 etcd and the API servers that the others use serve", func(t *testing.T) {
		for _, url := range []string{garden.Etcd + "/health", garden.Config.Host + "/readyz"} {
			if err := serves(t.Context(), url); err != nil {
				t.Errorf("%s: %v", url, err)
			}
		}
	})
}

func servers(t *testing.T) []server {
	t.Helper()
	dir, kubeconfig := garden.Dir, "--kubeconfig="+garden.Kubeconfig
	files := func(name string) string { return filepath.Join(dir, name) }
	serving := []string{"--tls-cert-file=" + files("server.crt"), "--tls-private-key-file=" + files("server.key")}
	port := func() string { return free(t) }
	at := func(port string) string { return net.JoinHostPort(garden.Address, port) }
	// secure is what servers have that are made of Kubernetes' library.
	secure := func(name, path string, flags ...string) server {
		p := port()
		return server{name, slices.Concat([]string{kubeconfig, "--bind-address=" + garden.Address, "--secure-port=" + p}, serving, flags), "https://" + at(p) + path}
	}
	// plain is what servers have whose health is served over plain HTTP at an address.
	plain := func(name, flag, path string, flags ...string) server {
		p := port()
		return server{name, append([]string{flag + "=" + at(p)}, flags...), "http://" + at(p) + path}
	}
	delegated := []string{"--authentication-kubeconfig=" + garden.Kubeconfig, "--authorization-kubeconfig=" + garden.Kubeconfig, "--leader-elect=false"}
	certificates := t.TempDir() // as cert-manager and others lay them out
	for from, to := range map[string]string{"ca.crt": "ca.crt", "server.crt": "tls.crt", "server.key": "tls.key"} {
		content, err := os.ReadFile(files(from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(certificates, to), string(content))
	}
	scheduler, admission, webhooks, manager, operator := port(), port(), port(), port(), port()
	frontDoor, backups, cache, client, peer := port(), port(), port(), port(), port()
	etcd := func(path string) string { return "https://" + at(path) }
	return []server{
		secure("apiserver", "/readyz", "--etcd-servers="+garden.Etcd, "--etcd-prefix=/alone", "--etcd-cafile="+files("ca.crt"),
			"--etcd-certfile="+files("admin.crt"), "--etcd-keyfile="+files("admin.key"), "--client-ca-file="+files("ca.crt"), "--cluster-identity=alone"),
		secure("kube-controller-manager", "/healthz", append(delegated, "--controllers=namespace-controller")...),
		secure("kube-scheduler", "/readyz", delegated...),
		secure("metrics-server", "/livez"),
		secure("oidc-webhook-authenticator", "/healthz"),
		{"scheduler", []string{"--config=" + write(t, files("scheduler.yaml"), `apiVersion: scheduler.config.gardener.cloud/v1alpha1
kind: SchedulerConfiguration
clientConnection: {kubeconfig: `+garden.Kubeconfig+`}
leaderElection: {leaderElect: false}
server: {healthProbes: {bindAddress: `+garden.Address+`, port: `+scheduler+`}}
`)}, "http://" + at(scheduler) + "/readyz"},
		{"gardener-controller-manager", []string{"--config=" + write(t, files("controllermanager.yaml"), `apiVersion: controllermanager.config.gardener.cloud/v1alpha1
kind: ControllerManagerConfiguration
gardenClientConnection: {kubeconfig: `+garden.Kubeconfig+`}
leaderElection: {resourceNamespace: default}
server: {healthProbes: {bindAddress: `+garden.Address+`, port: `+manager+`}, metrics: {bindAddress: `+garden.Address+`, port: `+port()+`}}
`)}, "http://" + at(manager) + "/readyz"},
		{"operator", []string{"--kubeconfig=" + garden.Kubeconfig, "--config=" + write(t, files("operator.yaml"), `apiVersion: operator.config.gardener.cloud/v1alpha1
kind: OperatorConfiguration
leaderElection: {resourceNamespace: default}
server: {healthProbes: {bindAddress: `+garden.Address+`, port: `+operator+`}, metrics: {bindAddress: `+garden.Address+`, port: `+port()+`}}
`)}, "http://" + at(operator) + "/readyz"},
		{"admission-controller", []string{"--config=" + write(t, files("admission.yaml"), `apiVersion: admissioncontroller.config.gardener.cloud/v1alpha1
kind: AdmissionControllerConfiguration
gardenClientConnection: {kubeconfig: `+garden.Kubeconfig+`}
server:
  webhooks: {bindAddress: `+garden.Address+`, port: `+webhooks+`, tls: {serverCertDir: `+certificates+`}}
  healthProbes: {bindAddress: `+garden.Address+`, port: `+admission+`}
`)}, "http://" + at(admission) + "/readyz"},
		plain("resource-manager", "--bind-address", "/readyz", "--source-kubeconfig="+garden.Kubeconfig, "--namespace=default", "--leader-elect=false"),
		plain("machine-controller-manager", "--bind-address", "/readyz", "--control-kubeconfig="+garden.Kubeconfig, "--target-kubeconfig="+garden.Kubeconfig, "--namespace=default"),
		plain("cloud-controller-manager", "--bind-address", "/readyz", kubeconfig, "--seed-kubeconfig="+garden.Kubeconfig, "--namespace=default"),
		plain("cluster-autoscaler", "--address", "/health-check", kubeconfig, "--namespace=default"),
		plain("vpa-recommender", "--address", "/health-check", kubeconfig),
		plain("vpa-updater", "--address", "/health-check", kubeconfig),
		plain("vpa-admission-controller", "--address", "/health-check", kubeconfig, "--bind-address="+at(port()),
			"--tls-cert-file="+files("server.crt"), "--tls-private-key="+files("server.key")),
		plain("seed-admission-controller", "--health-bind-address", "/healthz", kubeconfig, "--bind-address="+at(port()), "--namespace=default"),
		plain("provider-local-webhook", "--health-bind-address", "/healthz", kubeconfig, "--bind-address="+at(port())),
		plain("vpn-seed-server", "--health-address", "/healthz", append(serving, "--agent-address="+at(port()), "--bind-address="+at(port()), "--ca-file="+files("ca.crt"))...),
		plain("connectivity-test", "--bind-address", "/healthz"),
		{"front-door", []string{kubeconfig, "--bind-address=" + at(frontDoor)}, at(frontDoor)},
		{"registry-cache", []string{"--remote-url=https://registry.invalid", "--dir=" + t.TempDir(), "--bind-address=" + garden.Address, "--port=" + cache}, at(cache)},
		{"backup-restore", slices.Concat([]string{"serve", "--listen=" + at(backups), "--client-ca=" + files("ca.crt"), "--client-cert=" + files("admin.crt"), "--client-key=" + files("admin.key"), "--"}, []string{
			"--name=alone", "--data-dir=" + filepath.Join(t.TempDir(), "data"), "--listen-client-urls=" + etcd(client), "--advertise-client-urls=" + etcd(client),
			"--listen-peer-urls=" + "http://" + at(peer), "--initial-advertise-peer-urls=http://" + at(peer), "--initial-cluster=alone=http://" + at(peer),
			"--client-cert-auth", "--trusted-ca-file=" + files("ca.crt"), "--cert-file=" + files("server.crt"), "--key-file=" + files("server.key"),
		}), "http://" + at(backups) + "/healthz"},
	}
}

// serves returns nil if the server says that it is well.
func serves(ctx context.Context, url string) error {
	if !strings.Contains(url, "://") {
		connection, err := new(net.Dialer).DialContext(ctx, "tcp", url)
		if err != nil {
			return err
		}
		return connection.Close()
	}
	pair, err := tls.X509KeyPair(garden.Config.CertData, garden.Config.KeyData)
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{pair}}, // as the kubelet does for probes
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}

// end ends a component before the next one starts, so that they do not need the memory of all.
func end(t *testing.T, name string) {
	t.Helper()
	process, err := os.FindProcess(garden.PID(name))
	if err == nil {
		err = process.Kill()
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func free(t *testing.T) string {
	t.Helper()
	port, err := gardenapitest.FreePort(garden.Address)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}
