package etcd_test

import (
	"context"
	"crypto/x509"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/storage/backend"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemberEndsCompletely(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	t.Run("reached by TLS", func(t *testing.T) {
		config := configuration(t)
		for range 2 { // the second one opens the directory of the first one
			runOnce(ctx, t, etcd.New(config))
		}
	})
	t.Run("reached through a socket, too", func(t *testing.T) {
		config := configuration(t)
		config.Socket = filepath.Join(filepath.Dir(config.DataDir), "socket")
		runOnce(ctx, t, etcd.New(config))
	})
}

func TestAgain(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	t.Run("APP-9 a member that was stopped with an open watch serves its socket when it is started again", func(t *testing.T) {
		config := configuration(t)
		config.Socket = filepath.Join(filepath.Dir(config.DataDir), "socket")
		server := etcd.New(config)
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{config.SocketEndpoint()}})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		for round := range 2 {
			if err := server.Start(ctx); err != nil {
				t.Fatal(err)
			}
			testwait.Until(t, "the server is ready", func() error { return server.Ready(ctx) })
			if _, err := client.Put(ctx, "round", strconv.Itoa(round)); err != nil {
				t.Fatal(err)
			}
			client.Watch(ctx, "round")
			if err := server.Stop(ctx); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestKilledWhileItIsMade(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	t.Run("APP-3 a member that was killed before it joined its cluster begins anew", func(t *testing.T) {
		config := configuration(t)
		member := filepath.Join(config.DataDir, "member")
		if err := os.MkdirAll(filepath.Join(member, "snap"), 0o700); err != nil {
			t.Fatal(err)
		}
		db := backend.NewDefaultBackend(zap.NewNop(), filepath.Join(member, "snap", "db"))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		metadata, err := (&etcdserverpb.Metadata{NodeID: 1, ClusterID: 2}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		log, err := wal.Create(zap.NewNop(), filepath.Join(member, "wal"), metadata)
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		runOnce(ctx, t, etcd.New(config))
	})
}

func runOnce(ctx context.Context, t *testing.T, server *etcd.Server) {
	t.Helper()
	if err := server.Start(ctx); err != nil {
		t.Fatal(err)
	}
	testwait.Until(t, "the server is ready", func() error {
		select {
		case <-server.Done():
			t.Fatal(server.Err())
		default:
		}
		return server.Ready(ctx)
	})
	if err := server.Stop(ctx); err != nil {
		t.Fatal(err)
	}
}

// configuration has a directory, a port and certificates of its own.
func configuration(t *testing.T) etcd.Config {
	t.Helper()
	dir, err := os.MkdirTemp("", "etcd") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	config := etcd.Config{
		Name: "member", DataDir: filepath.Join(dir, "data"), ClientPort: testport.Free(t), Log: logr.Discard(),
		CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key"), CAFile: filepath.Join(dir, "tls.crt"),
	}
	template := &x509.Certificate{
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate.AddHosts(template, "127.0.0.1")
	pair, err := certificate.SelfSigned(template)
	if err != nil {
		t.Fatal(err)
	}
	key, err := certificate.EncodeKey(pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{config.CertFile: certificate.Encode(pair.Cert), config.KeyFile: key} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config
}
