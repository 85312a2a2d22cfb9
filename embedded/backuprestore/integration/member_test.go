package integration

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"sigs.k8s.io/controller-runtime/pkg/log"
	logzap "sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/gardener-up/gardener-up/embedded/backuprestore"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// memberVariable makes the test binary a member.
const memberVariable = "GARDENER_TEST_MEMBER"

// resolverVariable is the address of the name server of a member.
const resolverVariable = "GARDENER_TEST_RESOLVER"

func TestMain(m *testing.M) {
	if os.Getenv(memberVariable) != "" {
		if server := os.Getenv(resolverVariable); server != "" {
			net.DefaultResolver = dns.Resolver(server)
		}
		log.SetLogger(logzap.New())
		cmd := backuprestore.Command(unguarded)
		cmd.SetArgs(os.Args[1:])
		if err := cmd.ExecuteContext(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// member is an etcd of one member in a process of its own.
type member struct {
	t                   *testing.T
	dir, backups        string
	client, peer, serve string   // addresses
	flags, own          []string // of the component, and more of etcd
	resolver            string   // address of its name server; empty for that of the machine
	process             *exec.Cmd
	etcd                *clientv3.Client
}

func newMember(t *testing.T, flags ...string) *member {
	t.Helper()
	m := &member{t: t, dir: t.TempDir(), backups: t.TempDir(), client: free(t), peer: free(t), serve: free(t), flags: flags}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + m.client}, Logger: zap.NewNop()})
	must(t, err)
	m.etcd = client
	t.Cleanup(func() { m.end(syscall.SIGKILL); _ = client.Close() })
	return m
}

func free(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stored are the flags for a store.
func (m *member) stored() []string {
	return []string{"--store-provider=local", "--store-container=bucket", "--store-prefix=shoot/etcd-main", "--store-dir=" + m.backups}
}

func (m *member) data() string { return filepath.Join(m.dir, "new.etcd") }

// start starts the process and waits until etcd answers.
func (m *member) start() {
	m.t.Helper()
	m.launch()
	m.eventually("healthy", func() error { _, err := m.get("/healthz"); return err })
}

func (m *member) launch() {
	m.t.Helper()
	args := append([]string{"serve", "--listen=" + m.serve}, m.flags...)
	args = append(args, "--", "--name=m0", "--data-dir="+m.data(), "--unsafe-no-fsync=false", "--heartbeat-interval=20", "--election-timeout=200",
		"--listen-client-urls=http://"+m.client, "--advertise-client-urls=http://"+m.client, "--listen-peer-urls=http://"+m.peer,
		"--initial-advertise-peer-urls=http://"+m.peer, "--initial-cluster=m0=http://"+m.peer, "--initial-cluster-token=token", "--log-level=error")
	args = append(args, m.own...)
	m.process = exec.Command(os.Args[0], args...)
	m.process.Env = append(os.Environ(), memberVariable+"=1", resolverVariable+"="+m.resolver)
	log, err := os.OpenFile(filepath.Join(m.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(m.t, err)
	defer log.Close()
	m.process.Stdout, m.process.Stderr = log, log
	must(m.t, m.process.Start())
}

func (m *member) end(signal syscall.Signal) {
	if m.process != nil {
		_ = m.process.Process.Signal(signal)
		_ = m.process.Wait()
		m.process = nil
	}
}

func (m *member) get(path string) (string, error) {
	response, err := http.Get("http://" + m.serve + path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, response.Status, body)
	}
	return string(body), err
}

// take makes a snapshot by the HTTP server.
func (m *member) take(kind string) {
	m.t.Helper()
	m.eventually("snapshot "+kind, func() error { _, err := m.get("/snapshot/" + kind); return err })
}

func (m *member) eventually(what string, check func() error) {
	m.t.Helper()
	defer func() {
		if m.t.Failed() {
			log, _ := os.ReadFile(filepath.Join(m.dir, "log"))
			m.t.Logf("log:\n%s", log)
		}
	}()
	testwait.Until(m.t, what, check)
}

// contents are all keys and values.
func (m *member) contents() map[string]string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	response, err := m.etcd.Get(ctx, "\x00", clientv3.WithFromKey())
	must(m.t, err)
	out := map[string]string{}
	for _, kv := range response.Kvs {
		out[string(kv.Key)] = string(kv.Value)
	}
	return out
}

// snapshots are those in the store, in order of time.
func (m *member) snapshots() []snapshot.Snapshot {
	m.t.Helper()
	s, err := store.Open(m.t.Context(), store.Config{Provider: "local", Container: "bucket", Prefix: "shoot/etcd-main", Dir: m.backups})
	must(m.t, err)
	defer s.Close()
	all, err := s.List(m.t.Context())
	must(m.t, err)
	return all
}

// damage changes a byte in the middle of a file.
func damage(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	content[len(content)/2] ^= 0xff
	must(t, os.WriteFile(path, content, 0o600))
}

func (m *member) path(s snapshot.Snapshot) string {
	return filepath.Join(m.backups, "bucket", "shoot", "etcd-main", s.Key())
}
