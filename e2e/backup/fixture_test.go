package backup

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

const technical = "shoot--local--local"

// fixture is a landscape with one shoot.
type fixture struct {
	*framework.Landscape
	t      *testing.T
	shoot  string         // kubeconfig
	store  string         // directory of the shoot's backups
	reader *follow.Reader // of the documents
}

func (f *fixture) in(t *testing.T) *fixture {
	return &fixture{Landscape: f.For(t), t: t, shoot: f.shoot, store: f.store, reader: f.reader}
}

// snapshots are those of etcd main, in order of time.
func (f *fixture) snapshots() []snapshot.Snapshot {
	files, err := os.ReadDir(filepath.Join(f.store, "etcd-main", "v2"))
	if err != nil {
		return nil
	}
	var all []snapshot.Snapshot
	for _, file := range files {
		if s, ok := snapshot.Parse("v2/" + file.Name()); ok {
			all = append(all, s)
		}
	}
	snapshot.Sort(all)
	return all
}

// write makes a ConfigMap and returns its revision in etcd.
func (f *fixture) write(name string) int64 {
	f.t.Helper()
	f.Eventually(time.Minute, "the shoot takes a ConfigMap", func() (bool, string) { // its API server may just be restarted, since its etcd was
		r := f.TryKubectl(f.shoot, "create", "configmap", name, "--from-literal=key="+name)
		return r.Code == 0 || strings.Contains(r.Stderr, "AlreadyExists"), r.Stderr
	})
	text := f.Kubectl(f.shoot, "get", "configmap", name, "-o", "jsonpath={.metadata.resourceVersion}")
	revision, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f.t.Fatal(err)
	}
	return revision
}

// backedUp waits until a delta snapshot contains the revision.
func (f *fixture) backedUp(revision int64) {
	f.t.Helper()
	f.Eventually(time.Minute, fmt.Sprintf("revision %d is backed up", revision), func() (bool, string) {
		all := f.snapshots()
		return len(all) > 0 && all[len(all)-1].End >= revision, fmt.Sprint(all)
	})
}

// has waits until the shoot's API server answers that all ConfigMaps are there, with their content.
func (f *fixture) has(names ...string) {
	f.t.Helper()
	f.Eventually(2*time.Minute, fmt.Sprintf("ConfigMaps %v are there", names), func() (bool, string) {
		said := ""
		for _, name := range names {
			r := f.TryKubectl(f.shoot, "get", "configmap", name, "-o", "jsonpath={.data.key}", "--request-timeout=5s")
			if r.Stdout != name {
				return false, r.Stdout + r.Stderr
			}
			said += r.Stdout
		}
		return true, said
	})
}

// process is that of an etcd of the shoot.
func (f *fixture) process(etcd string) int {
	f.t.Helper()
	for pid, text := range f.Processes() {
		if strings.Contains(text, " component backup-restore serve ") && strings.Contains(text, " --etcd="+etcd+" ") {
			return pid
		}
	}
	f.t.Fatalf("no process of %s in %v", etcd, f.Processes())
	return 0
}

// volume is the directory of an etcd's volume.
func (f *fixture) volume(etcd string) string {
	f.t.Helper()
	found, err := filepath.Glob(filepath.Join(f.StateDir, "volumes", technical, "*"+etcd+"-0*"))
	if err != nil || len(found) != 1 {
		f.t.Fatalf("volumes %v, %v", found, err)
	}
	return found[0]
}

// strike stops the process of an etcd, does harm, and kills it. The kubelet then starts it again.
func (f *fixture) strike(etcd string, harm func()) {
	f.t.Helper()
	pid := f.process(etcd)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		f.t.Fatal(err)
	}
	harm()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		f.t.Fatal(err)
	}
}

// restored waits until the log of the member tells a restoration.
func (f *fixture) restored() {
	f.t.Helper()
	f.Eventually(2*time.Minute, "the member tells that it has restored the data", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", technical, "logs", "etcd-main-0")
		return strings.Contains(r.Stdout, "Restored the data from backups"), r.Stderr
	})
}

// ask requests a path of the backup server, with the client's certificate or without.
func (f *fixture) ask(scheme, path string, certificate bool) (int, string, error) {
	f.t.Helper()
	return f.askAt(8080, scheme, path, certificate)
}

// askAt requests a path at a port of etcd main.
func (f *fixture) askAt(port int, scheme, path string, certificate bool) (int, string, error) {
	f.t.Helper()
	config := &tls.Config{ServerName: "etcd-main-client." + technical + ".svc"}
	secret := func(name string) map[string]string {
		var found struct{ Data map[string]string }
		if err := json.Unmarshal([]byte(f.Kubectl(f.Seed(), "-n", technical, "get", "secret", name, "-o", "json")), &found); err != nil {
			f.t.Fatal(err)
		}
		for key, value := range found.Data {
			text, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				f.t.Fatal(err)
			}
			found.Data[key] = string(text)
		}
		return found.Data
	}
	named := func(field string) string {
		return f.Kubectl(f.Seed(), "-n", technical, "get", "etcd", "etcd-main", "-o", "jsonpath={.spec.backup.tls."+field+".name}")
	}
	config.RootCAs = x509.NewCertPool()
	config.RootCAs.AppendCertsFromPEM([]byte(secret(named("tlsCASecretRef"))["bundle.crt"]))
	if certificate {
		client := secret(named("clientTLSSecretRef"))
		pair, err := tls.X509KeyPair([]byte(client["tls.crt"]), []byte(client["tls.key"]))
		if err != nil {
			f.t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	ip := f.Kubectl(f.Seed(), "-n", technical, "get", "pod", "etcd-main-0", "-o", "jsonpath={.status.podIP}")
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: config}}
	defer client.CloseIdleConnections()
	response, err := client.Get(fmt.Sprintf("%s://%s:%d%s", scheme, ip, port, path))
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}
