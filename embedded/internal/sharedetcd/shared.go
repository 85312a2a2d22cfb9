// Package sharedetcd lets all kinds of an API server share connections to etcd. Without it an API server makes an etcd client for
// every kind. Each client has a connection with buffers on both sides: about 0.3 MB for each of some 70 kinds, and a TLS handshake
// at every start. The package is made for landscapes, not for thousands of clients of one server.
package sharedetcd

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/feature"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	_ "k8s.io/apiserver/pkg/storage/storagebackend/factory" // declares the linked variable
	_ "unsafe"                                              // for linkname
)

// newClient makes the etcd client of an API server. The library declares it as a variable for its own tests, so it can be
// replaced. A test compares its type with the declaration in the library.
//
//go:linkname newClient k8s.io/apiserver/pkg/storage/storagebackend/factory.newETCD3Client
var newClient func(storagebackend.TransportConfig) (*kubernetes.Client, error)

// Enable makes all API servers that start later in this process share connections. Further calls do nothing.
var Enable = sync.OnceFunc(func() {
	p := &pool{dial: newClient, open: map[string]*connection{}}
	newClient = p.client
})

// Client returns a client for something else than a kind, over a connection that it shares. It waits until the etcd answers, for a time.
func Client(config storagebackend.TransportConfig) (*clientv3.Client, error) {
	Enable()
	made, err := newClient(config)
	if err != nil {
		return nil, err
	}
	return made.Client, nil
}

// usersPerConnection limits the clients of a connection, so that a long list of one kind does not delay all others.
const usersPerConnection = 32

// pool holds the open connections by address and credentials of etcd.
type pool struct {
	dial func(storagebackend.TransportConfig) (*kubernetes.Client, error)

	mu   sync.Mutex
	open map[string]*connection
}

// connection is closed with its last user. A user that comes while it is made waits until it is ready.
type connection struct {
	made   sync.Mutex
	client *kubernetes.Client // nil before it is made
	users  int                // guarded by the pool
}

// client returns a client over a shared connection. Closing the client ends only its own watches and leases.
func (p *pool) client(config storagebackend.TransportConfig) (*kubernetes.Client, error) {
	if config.EgressLookup != nil { // cannot be compared
		return p.dial(config)
	}
	key, c := p.use(keyOf(config))
	shared, err := c.connect(func() (*kubernetes.Client, error) { return p.dial(config) })
	if err != nil {
		p.release(key, c)
		return nil, err
	}
	own := clientv3.NewCtxClient(shared.Ctx(), clientv3.WithZapLogger(shared.GetLogger()))
	own.Cluster, own.KV, own.Auth, own.Maintenance = shared.Cluster, shared.KV, shared.Auth, shared.Maintenance
	own.Lease = clientv3.NewLease(shared.Client)
	own.Watcher = watcher{clientv3.NewWatcher(shared.Client), sync.OnceFunc(func() { p.release(key, c) })}
	client := &kubernetes.Client{Client: own}
	client.Kubernetes = client
	return client, nil
}

func keyOf(c storagebackend.TransportConfig) string {
	return fmt.Sprintf("%s %s %s %s %p", strings.Join(slices.Sorted(slices.Values(c.ServerList)), ","), c.CertFile, c.KeyFile, c.TrustedCAFile, c.TracerProvider)
}

// use picks a connection with less than usersPerConnection users, or adds one.
func (p *pool) use(way string) (string, *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n := 0; ; n++ {
		key := fmt.Sprintf("%s #%d", way, n)
		c := p.open[key]
		if c == nil {
			c = &connection{}
			p.open[key] = c
		}
		if c.users < usersPerConnection {
			c.users++
			return key, c
		}
	}
}

func (p *pool) release(key string, c *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.users--; c.users > 0 {
		return
	}
	delete(p.open, key)
	if c.client != nil {
		_ = c.client.Close()
	}
}

func (c *connection) connect(dial func() (*kubernetes.Client, error)) (*kubernetes.Client, error) {
	c.made.Lock()
	defer c.made.Unlock()
	if c.client == nil {
		client, err := dial()
		if err != nil {
			return nil, err
		}
		// API servers ask what etcd can at the endpoints of their own clients, which have none.
		feature.DefaultFeatureSupportChecker.CheckClient(client.Ctx(), client, storage.RequestWatchProgress)
		c.client = client
	}
	return c.client, nil
}

// watcher calls closed when its client is closed, because a client closes its watcher first.
type watcher struct {
	clientv3.Watcher
	closed func()
}

func (w watcher) Close() error {
	err := w.Watcher.Close()
	w.closed()
	return err
}
