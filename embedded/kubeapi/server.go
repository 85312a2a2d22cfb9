// Package kubeapi runs kube-apiservers inside this process, and kube-apiserver as a component of its own.
// It makes no certificates and knows nothing about the Gardener API, which is an aggregated server (embedded/gardenapi).
package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/gardener-up/gardener-up/embedded/internal/fairness"
	"github.com/gardener-up/gardener-up/embedded/internal/keyreload"
	"github.com/gardener-up/gardener-up/embedded/internal/openapi"
	"github.com/gardener-up/gardener-up/embedded/internal/peruser"
	"github.com/gardener-up/gardener-up/embedded/internal/storagelimit"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/tokenkeys"
	"github.com/gardener-up/gardener-up/embedded/lifecycle"
)

// Config of one kube-apiserver.
type Config struct {
	Name string // unique in the process; also the component's name

	// Args are flags of kube-apiserver, usually made by package flags. In process, flags about logging have no effect. Feature
	// gates that Kubernetes reads from its global set instead of the set of the server have no effect either. An
	// emulated version other than that of the binary conflicts with those gates, and so needs its own process
	// (Command).
	Args []string

	// Aggregated is an API server of this process that is called directly; nil if there is none.
	Aggregated *Aggregated

	// MaxRequestsPerUser and MaxWatchesPerUser limit what one tenant asks at a time; 0 is no limit. All tenants together may have ten
	// times the watches of one. All service accounts of a namespace are one tenant. The landscape's own users have neither of these
	// limits, see package landscape. What all have of the requests that the server serves at a time, package fairness shares out.
	MaxRequestsPerUser, MaxWatchesPerUser int
	// Full is nil if users may store so many more bytes in a namespace, see package storagelimit. Without the function nobody is refused.
	Full func(namespace string, more int64) error
	// Disk is nil while the disk has room for users or, if essential, for components and operators. May be nil.
	Disk func(essential bool) error
	// Operators is the group of users who may write while the storage is full for others.
	Operators string

	// TokenKeys are the keys for tokens of service accounts. They replace those of the flags, which are read only once. May be nil.
	TokenKeys *tokenkeys.Keys

	// Client is used by Ready; its user must be allowed to get /readyz.
	Client *rest.Config

	Log logr.Logger
}

// Server is one kube-apiserver in this process. Any number may run side by side. It waits for its etcd, so both may be
// started together. With priority and fairness, it has the FlowSchemas of a landscape, see package fairness.
type Server struct {
	config Config
	runner lifecycle.Runner
	probe  func() (*http.Client, error) // made once
}

// New returns a kube-apiserver that is not started; Start reports mistakes in config.
func New(config Config) *Server {
	return &Server{
		config: config,
		probe:  sync.OnceValues(func() (*http.Client, error) { return rest.HTTPClientFor(config.Client) }),
	}
}

// Name of the component, taken from the configuration.
func (s *Server) Name() string { return s.config.Name }

// Start parses and validates the flags and starts the server in the background.
func (s *Server) Start(ctx context.Context) error {
	opts, err := parse(s.config.Args)
	if err != nil {
		return fmt.Errorf("read flags of %s: %w", s.config.Name, err)
	}
	fairness.Enable()
	keyreload.Enable()
	return s.runner.Start(ctx, func(ctx context.Context) error {
		completed, err := complete(ctx, opts)
		if err != nil {
			return err
		}
		if err := useTokenKeys(completed, s.config.TokenKeys); err != nil {
			return err
		}
		if err := waitForEtcd(ctx, opts.Etcd.StorageConfig.Transport.ServerList); err != nil {
			return err
		}
		s.config.Log.V(1).Info("Starting kube-apiserver", "name", s.config.Name, "port", opts.SecureServing.BindPort)
		limits := peruser.New(s.config.MaxRequestsPerUser, s.config.MaxWatchesPerUser)
		return run(ctx, completed, own{
			aggregated: s.config.Aggregated, storage: storagelimit.Limit{Full: s.config.Full, Disk: s.config.Disk, Operators: s.config.Operators}, openAPIIdle: openapi.Idle,
			perUser: &limits, last: true,
		}, s.config.Log.WithValues("server", s.config.Name))
	})
}

// Ready returns nil when /readyz answers "ok".
func (s *Server) Ready(ctx context.Context) error {
	if err := s.runner.Running(); err != nil {
		return err
	}
	if s.config.Client == nil {
		return errors.New("no client to ask /readyz with")
	}
	client, err := s.probe()
	if err != nil {
		return fmt.Errorf("make client for /readyz: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.config.Client.Host+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask /readyz: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("/readyz answers %s: %s", resp.Status, failedChecks(body))
	}
	return nil
}

// Done is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.runner.Done() }

// Err returns why the server ended; nil while it runs and after Stop.
func (s *Server) Err() error { return s.runner.Err() }

// Stop ends the server after its open requests.
func (s *Server) Stop(ctx context.Context) error { return s.runner.Stop(ctx) }

// parse reads flags into options with their own registry of versions and feature gates, so that servers in one process
// do not affect each other.
func parse(args []string) (*options.ServerRunOptions, error) {
	gates := utilfeature.DefaultMutableFeatureGate.DeepCopy()
	registry := basecompatibility.NewComponentGlobalsRegistry()
	if err := registry.Register(basecompatibility.DefaultKubeComponent, compatibility.DefaultBuildEffectiveVersion(), gates); err != nil {
		return nil, fmt.Errorf("register feature gates: %w", err)
	}
	optionsMu.Lock()
	defer optionsMu.Unlock()
	opts := options.NewServerRunOptions()
	opts.GenericServerRunOptions.ComponentGlobalsRegistry = registry

	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range opts.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if rest := flags.Args(); len(rest) > 0 {
		return nil, fmt.Errorf("kube-apiserver takes flags only, got %q", rest)
	}
	if err := registry.Set(); err != nil {
		return nil, fmt.Errorf("set feature gates: %w", err)
	}
	return opts, nil
}

// optionsMu guards the default registry, which NewServerRunOptions fills at its first call.
var optionsMu sync.Mutex
