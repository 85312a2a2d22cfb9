package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// asComponent is the variable by which a test starts this test binary as the component etcd, which is always its own process.
const asComponent = "TEST_COMPONENT_ETCD"

func TestComponent(t *testing.T) {
	if os.Getenv(asComponent) == "" {
		t.Skip("only for processes of other tests")
	}
	command := etcd.Command()
	_, flags, _ := strings.Cut(strings.Join(os.Args, "\n"), "\n--\n")
	command.SetArgs(strings.Split(flags, "\n"))
	if err := command.Execute(); err != nil {
		t.Fatal(err)
	}
}

// The etcd of a shoot is a process that nobody but its own watchdog looks after.
func TestWatchdogOfComponent(t *testing.T) {
	c := startComponent(t, etcd.WatchdogFlag)
	client := c.client
	t.Run("APP-5 the etcd of a shoot keeps room on the disk for its database and the next growth", func(t *testing.T) {
		testwait.For(t, testwait.Patience, "room is reserved", func() error {
			info, err := os.Stat(filepath.Join(c.data, "member", "snap", "db"))
			if err != nil {
				return err
			}
			if taken := info.Sys().(*syscall.Stat_t).Blocks * 512; taken < info.Size()+16<<20 {
				return fmt.Errorf("a database of %d bytes takes %d of the disk", info.Size(), taken)
			}
			return nil
		})
	})
	t.Run("APP-5 the etcd of a shoot heals when its history has filled it", func(t *testing.T) {
		fillComponent(t, client, func(int) string { return "/registry/configmaps/a/same" })
		eventuallyStores(t, client)
	})
	t.Run("APP-5 the etcd of a shoot heals when something is deleted", func(t *testing.T) {
		fillComponent(t, client, func(n int) string { return fmt.Sprintf("/registry/configmaps/a/%d", n) })
		if _, err := client.Delete(t.Context(), "/registry/configmaps/a/", clientv3.WithPrefix()); err != nil {
			t.Fatal(err)
		}
		eventuallyStores(t, client)
	})
}

func TestComponentEnds(t *testing.T) {
	c := startComponent(t)
	changes := c.client.Watch(clientv3.WithRequireLeader(t.Context()), "key", clientv3.WithCreatedNotify())
	if first := <-changes; !first.Created {
		t.Fatalf("no stream of changes: %+v", first)
	}
	if err := c.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = c.process.Wait() // etcd ends by the signal
	log, err := os.ReadFile(c.log)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("etcd does not wait for clients that read a stream", func(t *testing.T) {
		if !regexp.MustCompile(`"Ending the connections of clients" connections=[1-9]`).Match(log) {
			t.Errorf("no connection was ended:\n%s", log)
		}
	})
}

// running is a component, its client, and the file that it logs to.
type running struct {
	client  *clientv3.Client
	process *exec.Cmd
	log     string
	data    string // directory
}

// startComponent runs the component with a small quota and TLS, as pods of shoots do.
func startComponent(t *testing.T, more ...string) running {
	t.Helper()
	return startComponentIn(t, filepath.Join(t.TempDir(), "etcd"), more...)
}

// startComponentIn has its data in a directory.
func startComponentIn(t *testing.T, data string, more ...string) running {
	t.Helper()
	pki, err := testpki.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	url := "https://" + freeAddress(t)
	flags := append(more,
		"--name=shoot", "--data-dir="+data, fmt.Sprintf("--quota-backend-bytes=%d", etcd.MinQuota),
		"--listen-client-urls="+url, "--advertise-client-urls="+strings.Replace(url, "127.0.0.1", "localhost", 1), "--listen-peer-urls=http://"+freeAddress(t),
		"--cert-file="+pki.Path("server.crt"), "--key-file="+pki.Path("server.key"), "--client-cert-auth=true", "--trusted-ca-file="+pki.Path("ca.crt"),
		"--log-level=error",
	)
	process := exec.Command(os.Args[0], append([]string{"-test.run=^TestComponent$", "--"}, flags...)...)
	process.Env = append(os.Environ(), asComponent+"=yes")
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	process.Stderr = log
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
	tls, err := transport.TLSInfo{CertFile: pki.Path("admin.crt"), KeyFile: pki.Path("admin.key"), TrustedCAFile: pki.Path("ca.crt")}.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{url}, TLS: tls, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close()
		if content, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("log of the component:\n%s", content)
		}
	})
	return running{client: client, process: process, log: log.Name(), data: data}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// fillComponent writes until the etcd stores nothing more.
func fillComponent(t *testing.T, client *clientv3.Client, key func(n int) string) {
	t.Helper()
	value := strings.Repeat("x", 1<<20)
	for n := range 500 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := client.Put(ctx, key(n), value)
		cancel()
		if errors.Is(err, rpctypes.ErrNoSpace) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("500 values do not suffice")
}

func eventuallyStores(t *testing.T, client *clientv3.Client) {
	t.Helper()
	testwait.For(t, 2*testwait.Patience, "it stores", func() error {
		_, err := client.Put(t.Context(), "/registry/leases/a", "x")
		return err
	})
}
