package sharedetcd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/feature"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// start returns a pool that counts its connections, and how to reach an etcd.
func start(t *testing.T) (p *pool, config storagebackend.TransportConfig, dials func() int) {
	t.Helper()
	pki, err := testpki.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	port := testport.Free(t)
	server := etcd.New(etcd.Config{
		Name: "shared", DataDir: filepath.Join(t.TempDir(), "etcd"), ClientPort: port, Log: logr.Discard(),
		CAFile: pki.Path("ca.crt"), CertFile: pki.Path("server.crt"), KeyFile: pki.Path("server.key"),
	})
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	config = storagebackend.TransportConfig{
		ServerList:    []string{fmt.Sprintf("https://127.0.0.1:%d", port)},
		TrustedCAFile: pki.Path("ca.crt"), CertFile: pki.Path("admin.crt"), KeyFile: pki.Path("admin.key"),
	}
	var mu sync.Mutex
	count, dial := 0, newClient
	p = &pool{open: map[string]*connection{}, dial: func(c storagebackend.TransportConfig) (*kubernetes.Client, error) {
		mu.Lock()
		defer mu.Unlock()
		count++
		return dial(c)
	}}
	return p, config, func() int { mu.Lock(); defer mu.Unlock(); return count }
}

func client(t *testing.T, p *pool, config storagebackend.TransportConfig) *kubernetes.Client {
	t.Helper()
	c, err := p.client(config)
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	return c
}

func TestClientsShareConnections(t *testing.T) {
	p, config, dials := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first, second := client(t, p, config), client(t, p, config)
	if got := dials(); got != 1 {
		t.Fatalf("%d connections for two clients", got)
	}

	t.Run("a watch survives the end of another client", func(t *testing.T) {
		events := second.Watch(ctx, "/key", clientv3.WithCreatedNotify())
		if created := <-events; !created.Created {
			t.Fatalf("first event %+v", created)
		}
		ended := first.Watch(ctx, "/key", clientv3.WithCreatedNotify())
		<-ended
		if err := first.Close(); err != nil && ctx.Err() != nil {
			t.Fatal(err)
		}
		for range ended { // its own watches end
		}
		if _, err := second.Put(ctx, "/key", "value"); err != nil {
			t.Fatalf("put: %v", err)
		}
		if event := <-events; len(event.Events) != 1 || string(event.Events[0].Kv.Value) != "value" {
			t.Errorf("event %+v", event)
		}
	})
	t.Run("what API servers ask for works", func(t *testing.T) {
		if got, err := second.Kubernetes.Get(ctx, "/key", kubernetes.GetOptions{}); err != nil || string(got.KV.Value) != "value" {
			t.Errorf("get: %+v, %v", got, err)
		}
		lease, err := second.Grant(ctx, 60)
		if err != nil {
			t.Fatalf("grant: %v", err)
		}
		if _, err := second.Put(ctx, "/leased", "", clientv3.WithLease(lease.ID)); err != nil {
			t.Errorf("put with lease: %v", err)
		}
		if status, err := second.Status(ctx, config.ServerList[0]); err != nil || status.DbSize == 0 {
			t.Errorf("status: %+v, %v", status, err)
		}
	})
	t.Run("what etcd can is found out", func(t *testing.T) {
		testwait.Until(t, "the progress of watches", func() error {
			if !feature.DefaultFeatureSupportChecker.Supports(storage.RequestWatchProgress) {
				return errors.New("it is not supported")
			}
			return nil
		})
	})
	t.Run("the connection ends with its last client", func(t *testing.T) {
		_ = second.Close()
		_ = second.Close() // twice is once
		if len(p.open) != 0 {
			t.Fatalf("%d connections are open", len(p.open))
		}
		third := client(t, p, config)
		defer func() { _ = third.Close() }()
		if _, err := third.Put(ctx, "/key", "again"); err != nil || dials() != 2 {
			t.Errorf("put: %v, %d connections were made", err, dials())
		}
	})
	t.Run("a full connection takes no further clients", func(t *testing.T) {
		before := dials()
		for range usersPerConnection + 1 {
			c := client(t, p, config)
			defer func() { _ = c.Close() }()
		}
		if got := dials() - before; got != 2 {
			t.Errorf("%d connections for %d clients", got, usersPerConnection+1)
		}
	})
	t.Run("other certificates have a connection of their own", func(t *testing.T) {
		other := config
		other.CertFile, other.KeyFile = "missing", "missing"
		if _, err := p.client(other); err == nil {
			t.Error("connected without a certificate")
		}
	})
}
