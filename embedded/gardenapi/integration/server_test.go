package integration

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clientv3 "go.etcd.io/etcd/client/v3"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// another starts a second server over the same etcd, with the same data unless the prefix differs.
func another(t *testing.T, change func(*gardenapi.Config)) (*gardenapi.Server, *rest.Config) {
	t.Helper()
	config := garden.ServerConfig
	port, err := gardenapitest.FreePort(garden.Address)
	if err != nil {
		t.Fatal(err)
	}
	config.Port = port
	if change != nil {
		change(&config)
	}
	server := gardenapi.New(config)
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	eventually(t, func() error { return server.Ready(t.Context()) })
	direct := rest.CopyConfig(garden.Direct)
	direct.Host = "https://" + net.JoinHostPort(garden.Address, strconv.Itoa(config.Port))
	return server, direct
}

// lateConnection opens a connection to a server that begins with HTTP/2 only when the server has stopped listening. ends waits until
// the server has closed it.
func lateConnection(t *testing.T, server string) (begin, ends func()) {
	t.Helper()
	address := strings.TrimPrefix(server, "https://")
	raw, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	begin = func() {
		testwait.Until(t, "the server stops listening", func() error {
			other, err := net.Dial("tcp", address)
			if err != nil {
				return nil
			}
			_ = other.Close()
			return errors.New("it accepts connections")
		})
		connection := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}) //nolint:gosec // nothing is said to it
		if err := connection.HandshakeContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		framer := http2.NewFramer(connection, connection)
		if _, err := connection.Write([]byte(http2.ClientPreface)); err != nil {
			t.Fatal(err)
		}
		if err := framer.WriteSettings(); err != nil {
			t.Fatal(err)
		}
	}
	return begin, func() {
		if err := raw.SetReadDeadline(time.Now().Add(testwait.Patience)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, raw); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the connection stays open")
		}
	}
}

func TestLifecycle(t *testing.T) {
	t.Run("APP-3 a server stops although a connection begins meanwhile and stays", func(t *testing.T) {
		server, direct := another(t, nil)
		begin, ends := lateConnection(t, direct.Host)
		stopped := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			stopped <- server.Stop(ctx)
		}()
		begin()
		if err := <-stopped; err != nil {
			t.Errorf("stop: %v", err)
		}
		ends()
	})
	t.Run("a server stops at once although somebody watches, and starts again with all objects", func(t *testing.T) {
		server, direct := another(t, nil)
		watching, err := client.NewWithWatch(direct, client.Options{Scheme: admin(t).Scheme()})
		if err != nil {
			t.Fatal(err)
		}
		watch, err := watching.Watch(t.Context(), &core.ShootList{})
		if err != nil {
			t.Fatal(err)
		}
		defer watch.Stop()
		begin := time.Now()
		if err := server.Stop(t.Context()); err != nil {
			t.Errorf("stop: %v", err)
		}
		if took := time.Since(begin); took > 30*time.Second {
			t.Errorf("stopping took %s", took)
		}
		<-server.Done()
		if err := server.Ready(t.Context()); err == nil {
			t.Error("a stopped server says it is ready")
		}
		s := shoot(t)
		if err := server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error { return server.Ready(t.Context()) })
		if err := clientFor(t, direct).Get(t.Context(), client.ObjectKeyFromObject(s), s); err != nil {
			t.Error(err)
		}
	})
	t.Run("a port in use is told at once", func(t *testing.T) {
		config := garden.ServerConfig
		server := gardenapi.New(config)
		if err := server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-server.Done()
		if err := server.Err(); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("mistakes in the configuration are told together", func(t *testing.T) {
		err := gardenapi.New(gardenapi.Config{FeatureGates: map[string]bool{"Nonsense": true}}).Start(t.Context())
		for _, part := range []string{"port", "certificate", "etcd servers", "kubeconfig", "cluster identity", "Nonsense"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q is missing in: %v", part, err)
			}
		}
	})
}

func TestFeatures(t *testing.T) {
	t.Run("AKC-7 without the feature gate there is no adminkubeconfig", func(t *testing.T) {
		_, direct := another(t, func(c *gardenapi.Config) {
			c.FeatureGates = map[string]bool{gardenapi.AdminKubeconfigRequest: false}
		})
		_, err := request(t, clientFor(t, direct), reachableShoot(t), nil)
		wantStatus(t, err, http.StatusNotFound, "")
	})
	t.Run("SNI-1 kubeconfigs go through the front door", func(t *testing.T) {
		_, direct := another(t, func(c *gardenapi.Config) { c.FrontDoorAddress = "127.0.0.1:8443" })
		answer, err := request(t, clientFor(t, direct), reachableShoot(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.Load(answer.Status.Kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		cluster := config.Clusters[config.Contexts[config.CurrentContext].Cluster]
		if cluster.Server != "https://127.0.0.1:8443" || cluster.TLSServerName != "api.s.p.example.org" {
			t.Errorf("server %q, TLS server name %q", cluster.Server, cluster.TLSServerName)
		}
	})
	t.Run("ADM-1 a disabled plugin does nothing", func(t *testing.T) {
		_, direct := another(t, func(c *gardenapi.Config) { c.DisableAdmissionPlugins = []string{"DeletionConfirmation"} })
		if err := clientFor(t, direct).Delete(t.Context(), shoot(t)); err != nil {
			t.Error(err)
		}
	})
	t.Run("API-39 what is encrypted cannot be read in etcd", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "encryption.yaml")
		content := `{"apiVersion":"apiserver.config.k8s.io/v1","kind":"EncryptionConfiguration","resources":[{"resources":["shootstates.core.gardener.cloud"],
			"providers":[{"aescbc":{"keys":[{"name":"k","secret":"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="}]}},{"identity":{}}]}]}`
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, direct := another(t, func(c *gardenapi.Config) { c.EncryptionConfigFile, c.EtcdPrefix = file, "/encrypted" })
		state := &core.ShootState{ObjectMeta: metav1.ObjectMeta{Name: "secret", Namespace: "default"}}
		state.Spec.Gardener = []core.GardenerResourceData{{Name: "ca", Type: "secret"}}
		state.Spec.Gardener[0].Data.Raw = []byte(`{"key":"confidential"}`)
		if err := clientFor(t, direct).Create(t.Context(), state); err != nil {
			t.Fatal(err)
		}
		raw := etcdValue(t, "/encrypted/core.gardener.cloud/shootstates/default/secret")
		if bytes.Contains(raw, []byte("confidential")) || !bytes.HasPrefix(raw, []byte("k8s:enc:aescbc:")) {
			t.Errorf("stored is %.40q", raw)
		}
	})
	t.Run("keys and encoding in etcd are Gardener's", func(t *testing.T) {
		s := shoot(t)
		raw := etcdValue(t, gardenapi.DefaultEtcdPrefix+"/core.gardener.cloud/shoots/"+s.Namespace+"/"+s.Name)
		if !bytes.HasPrefix(raw, []byte(`{"kind":"Shoot","apiVersion":"core.gardener.cloud/v1beta1"`)) {
			t.Errorf("stored is %.80q", raw)
		}
	})
}

// etcdClient reaches the etcd of the Gardener API server.
func etcdClient(t *testing.T) *clientv3.Client {
	t.Helper()
	tlsConfig, err := rest.TLSConfigFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{
		CAFile: garden.ServerConfig.EtcdCAFile, CertFile: garden.ServerConfig.EtcdCertFile, KeyFile: garden.ServerConfig.EtcdKeyFile,
	}})
	if err != nil {
		t.Fatal(err)
	}
	etcd, err := clientv3.New(clientv3.Config{Endpoints: garden.ServerConfig.EtcdServers, TLS: tlsConfig, DialTimeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = etcd.Close() })
	return etcd
}

func etcdValue(t *testing.T, key string) []byte {
	t.Helper()
	response, err := etcdClient(t).Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if len(response.Kvs) != 1 {
		t.Fatalf("no key %s", key)
	}
	return response.Kvs[0].Value
}

func TestRegister(t *testing.T) {
	t.Run("registering again changes nothing", func(t *testing.T) {
		var before, after metav1.PartialObjectMetadata
		for _, object := range []*metav1.PartialObjectMetadata{&before, &after} {
			object.APIVersion, object.Kind = "apiregistration.k8s.io/v1", "APIService"
			if err := admin(t).Get(t.Context(), client.ObjectKey{Name: "v1beta1.core.gardener.cloud"}, object); err != nil {
				t.Fatal(err)
			}
			ca, err := os.ReadFile(garden.ServerConfig.EtcdCAFile)
			if err != nil {
				t.Fatal(err)
			}
			registration := gardenapi.Registration{Host: garden.Address, Port: garden.ServerConfig.Port, CABundle: ca}
			if err := gardenapi.Register(t.Context(), garden.Config, registration); err != nil {
				t.Fatal(err)
			}
		}
		if before.ResourceVersion != after.ResourceVersion {
			t.Errorf("version went from %s to %s", before.ResourceVersion, after.ResourceVersion)
		}
	})
}

// TestFootprint holds what a server without requests costs, at about twice what was measured.
func TestFootprint(t *testing.T) {
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapInuse + stats.StackInuse
	}
	goroutines, before := runtime.NumGoroutine(), heap()
	begin := time.Now()
	another(t, nil)
	took, memory, started := time.Since(begin), int64(heap())-int64(before), runtime.NumGoroutine()-goroutines
	t.Logf("another server: ready after %s, %d KiB of heap and stack, %d goroutines; the first: ready after %s", took, memory/1024, started, garden.StartTime)
	if memory > 32<<20 || started > 1300 { // measured: 15 MiB, 660 goroutines
		t.Errorf("another server costs %d KiB of heap and stack and %d goroutines, want at most 32 MiB and 1300", memory/1024, started)
	}
}

func TestCommand(t *testing.T) {
	port, err := gardenapitest.FreePort(garden.Address)
	if err != nil {
		t.Fatal(err)
	}
	c := garden.ServerConfig
	ctx, cancel := context.WithCancel(t.Context())
	cmd := gardenapi.Command()
	cmd.SetArgs([]string{
		"--bind-address=" + c.BindAddress, "--secure-port=" + strconv.Itoa(port), "--tls-cert-file=" + c.CertFile, "--tls-private-key-file=" + c.KeyFile,
		"--etcd-servers=" + c.EtcdServers[0], "--etcd-cafile=" + c.EtcdCAFile, "--etcd-certfile=" + c.EtcdCertFile, "--etcd-keyfile=" + c.EtcdKeyFile,
		"--kubeconfig=" + garden.Kubeconfig, "--authentication-kubeconfig=" + garden.Kubeconfig, "--cluster-identity=" + c.ClusterIdentity,
		"--feature-gates=AdminKubeconfigRequest=false", "--log-level=error",
	})
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	direct := rest.CopyConfig(garden.Direct)
	direct.Host = "https://" + net.JoinHostPort(garden.Address, strconv.Itoa(port))
	s := shoot(t)
	eventually(t, func() error {
		http, err := rest.HTTPClientFor(direct)
		if err != nil {
			return err
		}
		response, err := http.Get(direct.Host + "/readyz")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != 200 {
			return errNotYet
		}
		return nil
	})
	if err := clientFor(t, direct).Get(t.Context(), client.ObjectKeyFromObject(s), s); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
}
