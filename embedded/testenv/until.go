package testenv

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// unseen is how often Until asks without a change, for what no API server holds: caches, metrics, and what controllers remember.
const unseen = 200 * time.Millisecond

// Until calls check until it returns nil, and fails the test after a minute. It asks at once, and again each time that an object of
// the API server changes: it watches the etcd of the environment, which holds objects of all kinds.
func (e *Env) Until(t testing.TB, what string, check func(context.Context) error) {
	t.Helper()
	changes, done, err := e.changes.subscribe()
	if err != nil {
		t.Fatalf("watch etcd: %v", err)
	}
	defer done()
	testwait.Changed(t, changes, unseen, what, check)
}

// Watch makes Until ask also when another etcd changes. Its CA certificate ca.crt and the client certificate admin.crt with
// admin.key are in dir. Call it before the first Until.
func (e *Env) Watch(etcd, dir string) {
	e.changes.stores = append(e.changes.stores, store{url: etcd, dir: dir})
}

// store is an etcd that is watched.
type store struct{ url, dir string }

// changes tells subscribers that something was written to one of the stores. It connects to them for the first subscriber.
type changes struct {
	stores []store

	mu          sync.Mutex
	subscribers map[chan struct{}]struct{}
	clients     []*clientv3.Client
	cancel      context.CancelFunc
	running     sync.WaitGroup
}

// subscribe returns a channel that gets a value after one or more changes. done ends the subscription.
func (c *changes) subscribe() (_ <-chan struct{}, done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil {
		if err := c.start(); err != nil {
			return nil, nil, err
		}
	}
	subscriber := make(chan struct{}, 1)
	c.subscribers[subscriber] = struct{}{}
	return subscriber, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.subscribers, subscriber)
	}, nil
}

func (c *changes) start() error {
	for _, s := range c.stores {
		tls, err := transport.TLSInfo{
			TrustedCAFile: filepath.Join(s.dir, "ca.crt"), CertFile: filepath.Join(s.dir, "admin.crt"), KeyFile: filepath.Join(s.dir, "admin.key"),
		}.ClientConfig()
		if err != nil {
			return fmt.Errorf("read certificates in %s: %w", s.dir, err)
		}
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{s.url}, TLS: tls, Logger: zap.NewNop()})
		if err != nil {
			return err
		}
		c.clients = append(c.clients, client)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel, c.subscribers = cancel, map[chan struct{}]struct{}{}
	for _, client := range c.clients {
		c.running.Go(func() { c.follow(ctx, client) })
	}
	return nil
}

// follow tells all subscribers of each change. A watch ends early if its store drops the history that it is about to read.
func (c *changes) follow(ctx context.Context, client *clientv3.Client) {
	for ctx.Err() == nil {
		for range client.Watch(ctx, "/", clientv3.WithPrefix()) {
			c.tell()
		}
	}
}

func (c *changes) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for subscriber := range c.subscribers {
		select {
		case subscriber <- struct{}{}:
		default: // it has not seen the change before yet
		}
	}
}

// stop ends all watches. It may be called more than once.
func (c *changes) stop() {
	c.mu.Lock()
	if c.cancel != nil {
		c.cancel()
	}
	clients := c.clients
	c.clients = nil
	c.mu.Unlock()
	for _, client := range clients {
		_ = client.Close()
	}
	c.running.Wait()
}
