// Package gardenapitest starts a garden for integration tests: the kube-apiserver of package testenv and the Gardener API
// server, which runs in the process of the test and is aggregated into the kube-apiserver. There are no controllers.
//
// For tests only.
package gardenapitest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/extensionvalidator"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/rbac"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

const (
	startTimeout = 5 * time.Minute
	pollInterval = 20 * time.Millisecond
)

// Options of a garden.
type Options struct {
	// Env are the options of the kube-apiserver.
	Env testenv.Options
	// Extensions registers the extensions that seeds and shoots of tests use. Otherwise the admission plugin that demands
	// registrations is off, so that tests of controllers see only their own.
	Extensions bool
	// Process runs the Gardener API server in the process of the kube-apiserver, as in a landscape, with the same etcd.
	// Change is then ignored, and Server and ServerConfig stay empty.
	Process bool
	// GardenerArgs are additional flags of that process' Gardener API server.
	GardenerArgs []string
	// Change, if set, changes the configuration of the Gardener API server.
	Change func(*gardenapi.Config)
}

// Garden is a running garden. Env.Config belongs to an administrator.
type Garden struct {
	*testenv.Env
	Server *gardenapi.Server
	// ServerConfig is the configuration of Server. Tests may start more servers with other ports and prefixes.
	ServerConfig gardenapi.Config
	// Direct connects to the Gardener API server as an administrator, without the aggregator.
	Direct *rest.Config
	// StartTime is how long the Gardener API server took to become ready.
	StartTime time.Duration

	dir  string
	etcd *etcd.Server
}

// Start starts a garden and waits until all its groups are available. The caller has to stop it.
func Start(opts Options) (_ *Garden, err error) {
	g := &Garden{}
	defer func() {
		if err != nil {
			g.Stop()
		}
	}()
	if g.dir, err = os.MkdirTemp("", "gardenapitest-"); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	var port int // of the server in the other process
	pki, err := g.startKubernetes(opts, &port)
	if err != nil {
		return nil, err
	}
	if opts.Process {
		return g, g.join(ctx, pki, port, opts.Extensions)
	}
	config, err := g.startEtcd(ctx, pki)
	if err != nil {
		return nil, err
	}
	if !opts.Extensions {
		config.DisableAdmissionPlugins = []string{extensionvalidator.PluginName}
	}
	if opts.Change != nil {
		opts.Change(config)
	}
	if err := g.startServer(ctx, *config); err != nil {
		return nil, err
	}
	return g, g.register(ctx, pki, config.Port, opts.Extensions)
}

// register registers the server with the kube-apiserver.
func (g *Garden) register(ctx context.Context, pki *testpki.PKI, port int, extensions bool) error {
	ca, err := os.ReadFile(pki.Path("ca.crt"))
	if err != nil {
		return err
	}
	if err := gardenapi.Register(ctx, g.Config, gardenapi.Registration{Host: g.Address, Port: port, CABundle: ca}); err != nil {
		return err
	}
	if err := waitFor(ctx, func(ctx context.Context) error { return gardenapi.Available(ctx, g.Config) }); err != nil {
		return err
	}
	return g.surroundings(ctx, extensions)
}

// WriteRoles writes the cluster roles again, as each start of a garden does.
func (g *Garden) WriteRoles(ctx context.Context) error {
	client, err := dynamic.NewForConfig(g.Config)
	if err != nil {
		return err
	}
	return rbac.Apply(ctx, client)
}

// Main is the body of a TestMain: it starts a garden, passes it to use, runs the tests, stops the garden and exits.
func Main(m *testing.M, opts Options, use func(*Garden)) {
	garden, err := Start(opts)
	if err != nil {
		fmt.Fprintln(os.Stderr, "start garden:", err)
		os.Exit(1)
	}
	use(garden)
	code := m.Run()
	garden.Stop()
	if opts.Env.NoLeaks && code == 0 {
		code = testenv.Leaks(foreign...)
	}
	os.Exit(code)
}

// foreign are goroutines that the libraries of the Gardener API server leave behind when it has stopped. A server that was made and
// never ran, since its port was taken, leaves most of them: only a running one can be stopped.
var foreign = []goleak.Option{
	goleak.IgnoreTopFunction("k8s.io/apiserver/pkg/storage/cacher.(*watchCache).waitUntilFreshAndBlock.func2"), // ends three seconds after a request
	goleak.IgnoreAnyFunction("k8s.io/apimachinery/pkg/util/wait.Forever"),                                      // the check that the log is written
	goleak.IgnoreTopFunction("k8s.io/apiserver/pkg/storage/storagebackend/factory.newETCD3Check.func2"),        // closes the client of a check of etcd
	goleak.IgnoreAnyFunction("google.golang.org/grpc.(*addrConn).connect"),                                     // the connection of that client
	goleak.IgnoreTopFunction("google.golang.org/grpc/internal/grpcsync.(*CallbackSerializer).run"),             // as well
	goleak.IgnoreTopFunction("k8s.io/client-go/util/workqueue.(*Typed[...]).updateUnfinishedWorkLoop"),         // queues of controllers that never ran
	goleak.IgnoreTopFunction("k8s.io/client-go/util/workqueue.(*delayingType[...]).waitingLoop"),               // as well
	goleak.IgnoreTopFunction("gopkg.in/natefinch/lumberjack%2ev2.(*Logger).millRun"),                           // rotates the audit log
}

// Stop ends all servers and removes their files.
func (g *Garden) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if g.Server != nil {
		_ = g.Server.Stop(ctx)
	}
	if g.etcd != nil {
		_ = g.etcd.Stop(ctx)
	}
	if g.Env != nil {
		g.Env.Stop()
	}
	_ = os.RemoveAll(g.dir)
}

// startKubernetes starts the kube-apiserver and makes all certificates. The aggregator needs one of them.
func (g *Garden) startKubernetes(options Options, port *int) (*testpki.PKI, error) {
	opts := options.Env
	pki, err := testpki.New(g.dir, gardenapi.ServerName)
	if err != nil {
		return nil, err
	}
	cert, key, err := pki.Client("aggregator")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.WriteFile(pki.Path("aggregator.crt"), cert, 0o600), os.WriteFile(pki.Path("aggregator.key"), key, 0o600)); err != nil {
		return nil, err
	}
	opts.APIServerArgs = append([]string{
		"--requestheader-client-ca-file=" + pki.Path("ca.crt"), "--requestheader-allowed-names=aggregator",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + pki.Path("aggregator.crt"), "--proxy-client-key-file=" + pki.Path("aggregator.key"),
	}, opts.APIServerArgs...)
	if options.Process {
		opts.Garden = g.process(pki, options, port)
	}
	g.Env, err = testenv.Start(opts)
	return pki, err
}

func (g *Garden) startEtcd(ctx context.Context, pki *testpki.PKI) (*gardenapi.Config, error) {
	etcdPort, err := FreePort(g.Address)
	if err != nil {
		return nil, err
	}
	port, err := FreePort(g.Address)
	if err != nil {
		return nil, err
	}
	etcdConfig := etcd.Config{
		Name: "gardenapitest", DataDir: filepath.Join(g.dir, "etcd"), ClientPort: etcdPort, Log: logr.Discard(),
		CAFile: pki.Path("ca.crt"), CertFile: pki.Path("server.crt"), KeyFile: pki.Path("server.key"),
	}
	g.etcd = etcd.New(etcdConfig)
	if err := g.etcd.Start(ctx); err != nil {
		return nil, err
	}
	g.Watch(etcdConfig.Endpoint(), g.dir)
	g.Direct = g.direct(pki, port)
	return &gardenapi.Config{
		BindAddress: g.Address, Port: port, CertFile: pki.Path("server.crt"), KeyFile: pki.Path("server.key"),
		EtcdServers: []string{etcdConfig.Endpoint()}, EtcdCAFile: pki.Path("ca.crt"),
		EtcdCertFile: pki.Path("admin.crt"), EtcdKeyFile: pki.Path("admin.key"),
		Garden: g.Config, ClusterIdentity: "gardenapitest", Log: logr.Discard(),
	}, waitFor(ctx, g.etcd.Ready)
}

func (g *Garden) direct(pki *testpki.PKI, port int) *rest.Config {
	config := &rest.Config{Host: "https://" + net.JoinHostPort(g.Address, strconv.Itoa(port)), QPS: -1, TLSClientConfig: g.Config.TLSClientConfig}
	config.TLSClientConfig.CAData, config.TLSClientConfig.CAFile = nil, pki.Path("ca.crt")
	config.TLSClientConfig.ServerName = gardenapi.ServerName
	return config
}

func (g *Garden) startServer(ctx context.Context, config gardenapi.Config) error {
	g.Server, g.ServerConfig = gardenapi.New(config), config
	begin := time.Now()
	if err := g.Server.Start(ctx); err != nil {
		return err
	}
	defer func() { g.StartTime = time.Since(begin) }()
	return waitFor(ctx, func(ctx context.Context) error {
		select {
		case <-g.Server.Done():
			return endedError{g.Server.Err()}
		default:
			return g.Server.Ready(ctx)
		}
	})
}

type endedError struct{ error }

func waitFor(ctx context.Context, ready func(context.Context) error) error {
	for {
		err := ready(ctx)
		if err == nil || errors.As(err, &endedError{}) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(pollInterval):
		}
	}
}

// FreePort returns a free port of address. The kernel gives ports from 32768 on to those who ask for any, so nobody takes this
// one before the caller listens on it.
func FreePort(address string) (int, error) {
	const first, count, tries = 20000, 10000, 100
	var err error
	for range tries {
		port := first + rand.IntN(count)
		var listener net.Listener
		if listener, err = net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port))); err == nil {
			return port, listener.Close()
		}
	}
	return 0, fmt.Errorf("find a free port of %s: %w", address, err)
}
