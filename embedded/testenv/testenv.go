// Package testenv gives integration tests a real Kubernetes API. It starts etcd and kube-apiserver as child processes
// of the test, from the components of the built binary. It links neither of them, so tests build in seconds. There are
// no nodes and no controllers: nothing collects garbage, and deleted namespaces stay.
//
// Only tests may import it.
package testenv

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
)

// startTimeout is generous, because many packages may start their servers at once on a small machine.
const startTimeout = 2 * time.Minute

// Options of an environment. The zero value is a plain Kubernetes API.
type Options struct {
	// CRDs are installed in one batch; they are served when Start returns.
	CRDs []*apiextensionsv1.CustomResourceDefinition
	// APIServerArgs are additional flags of kube-apiserver. They override those of this package.
	APIServerArgs []string
	// AuthorizationConfig is the file of an AuthorizationConfiguration. Without it RBAC alone authorizes.
	AuthorizationConfig string
	// Garden starts the component garden instead of kube-apiserver alone, under the same name. It is called with an
	// environment that is complete except for its processes, and returns the flags of the Gardener API server.
	Garden func(*Env) ([]string, error)
	// NoLeaks makes Main fail if the tests leave a goroutine behind.
	NoLeaks bool
	// Binary overrides GARDENER_BIN and the build of cmd/gardener.
	Binary string
}

// Env is a running environment.
type Env struct {
	// Config is the client configuration of an administrator, without a limit on requests. Copy it before changing it.
	Config *rest.Config
	// Kubeconfig is the path of a file with the same content.
	Kubeconfig string
	// Dir is removed by Stop. It contains the logs of the servers, etcd.log and kube-apiserver.log.
	Dir string
	// Address is the loopback address that the servers listen on, if possible one that no other environment uses.
	Address string
	// Etcd is the URL of etcd. Clients need the CA certificate ca.crt and the client certificate admin.crt with
	// admin.key in Dir.
	Etcd string

	binary   string
	pki      *testpki.PKI
	children []*child
	changes  changes // of objects, for Until
}

// Start starts the servers and waits until they serve. The caller must stop the returned environment.
func Start(opts Options) (_ *Env, err error) {
	binary := opts.Binary
	if binary == "" {
		if binary, err = Binary(); err != nil {
			return nil, fmt.Errorf("find the binary: %w", err)
		}
	}
	dir, err := os.MkdirTemp("", "gardener-testenv-")
	if err != nil {
		return nil, fmt.Errorf("make directory: %w", err)
	}
	env := &Env{Dir: dir, binary: binary, Address: ownAddress(), Kubeconfig: filepath.Join(dir, "kubeconfig")}
	defer func() {
		if err != nil {
			err = errors.Join(err, env.tails())
			env.Stop()
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := env.startServers(opts); err != nil {
		return nil, err
	}
	if err := env.waitReady(ctx); err != nil {
		return nil, fmt.Errorf("wait for kube-apiserver: %w", err)
	}
	if err := InstallCRDs(ctx, env.Config, opts.CRDs); err != nil {
		return nil, err
	}
	return env, nil
}

// Main implements TestMain: it starts an environment, passes it to use, runs the tests, stops the environment, looks for
// leaked goroutines if the options say so, and exits.
func Main(m *testing.M, opts Options, use func(*Env)) {
	env, err := Start(opts)
	if err != nil {
		fmt.Fprintln(os.Stderr, "start test environment:", err)
		os.Exit(1)
	}
	use(env)
	code := m.Run()
	env.Stop() // which ends the connections of clients
	if opts.NoLeaks && code == 0 {
		code = Leaks()
	}
	os.Exit(code)
}

// Leaks returns an exit code: 1 if the tests left a goroutine behind, which it prints, or else 0.
func Leaks(but ...goleak.Option) int {
	// The cache of controller-runtime, where it keeps metadata only, reads through watch.Filter, which leaves a goroutine when
	// it is stopped with an event that nobody has read. Our own code uses embedded/watchmap.
	but = append(but, goleak.IgnoreTopFunction("k8s.io/apimachinery/pkg/watch.(*filteredWatch).loop"))
	// A queue of controller-runtime v0.24 that is shut down while it hands out an item waits for ever for whoever wanted the item. It
	// keeps its lock, at which everybody else waits.
	const queue = "sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue.(*priorityqueue[...])."
	for _, name := range []string{"GetWithPriority", "handleAddBuffer", "handleReadyItems", "handleWaitingItems", "logState", "updateUnfinishedWorkLoop"} {
		but = append(but, goleak.IgnoreAnyFunction(queue+name))
	}
	if err := goleak.Find(but...); err != nil {
		fmt.Fprintln(os.Stderr, "goroutines after the tests:", err)
		return 1
	}
	return 0
}

// StartComponent starts an additional component of the binary, which Stop ends, too. Its log is <name>.log in Dir. It
// does not wait until the component is ready.
func (e *Env) StartComponent(name string, args ...string) error { return e.start(name, name, args) }

// PID is the process ID of a component of the environment, such as kube-apiserver; 0 if there is no such component.
func (e *Env) PID(name string) int {
	for _, c := range e.children {
		if c.name == name {
			return c.process.Pid
		}
	}
	return 0
}

// Stop kills the servers and removes all their files. It may be called more than once.
func (e *Env) Stop() {
	e.changes.stop()
	for _, c := range slices.Backward(e.children) {
		c.kill()
	}
	_ = os.RemoveAll(e.Dir)
}

// ConfigFor returns a configuration for a client with a certificate of this user.
func (e *Env) ConfigFor(user string, groups ...string) (*rest.Config, error) {
	cert, key, err := e.pki.Client(user, groups...)
	if err != nil {
		return nil, err
	}
	config := rest.CopyConfig(e.Config)
	config.CertData, config.KeyData = cert, key
	return config, nil
}

// Sign answers a certificate request for a client. The certificate is in PEM format.
func (e *Env) Sign(request *x509.CertificateRequest, from, to time.Time) ([]byte, error) {
	return e.pki.Sign(request, from, to)
}
