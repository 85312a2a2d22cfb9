// Package kubecontroller runs the controllers of kube-controller-manager inside this process, for any number of
// clusters. It also offers kube-controller-manager as a component.
//
// In process it takes the controllers from kube-controller-manager's own list, but starts them itself.
// kube-controller-manager's surroundings (configz, leader election, a named informer factory, a port) exist once per
// process, but a landscape has two clusters in one process.
package kubecontroller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"

	"github.com/gardener-up/gardener-up/embedded/lifecycle"
	"github.com/gardener-up/gardener-up/embedded/polled"
)

const (
	// Limits of the client. kube-controller-manager's default of 20 per second noticeably slows down every rollout.
	clientQPS, clientBurst = 200, 400
	// shutdownTimeout bounds the time that controllers get to return.
	shutdownTimeout = 10 * time.Second
	apiPollInterval = 100 * time.Millisecond
	// buildTries and buildPause bound the time for which controllers cannot be built. A rotation replaces files one after another.
	buildTries = 100
	buildPause = 100 * time.Millisecond
)

// Config of the controllers of one cluster. Files are absolute paths.
type Config struct {
	Name        string // unique in the process; also the component's name
	Client      *rest.Config
	Controllers []string // for example GardenControllers(); names as in kube-controller-manager --controllers

	SigningCert, SigningKey string // CA that signs certificate signing requests
	RootCA                  string // published in every namespace as kube-root-ca.crt
	ServiceAccountKey       string // private key for tokens in Secrets; without it there are none

	Args []string // further flags of kube-controller-manager

	Log logr.Logger
}

// Server is the controllers of one cluster in this process.
type Server struct {
	config Config
	runner lifecycle.Runner
	probe  kubernetes.Interface
	pause  time.Duration
	proven atomic.Bool // Ready was nil in this run
}

// New returns controllers that are not started. Start reports mistakes in config.
func New(config Config) *Server { return &Server{config: config, pause: buildPause} }

// Name of the component, taken from the configuration.
func (s *Server) Name() string { return s.config.Name }

// Start validates the configuration. It starts the controllers in the background as soon as the API answers.
func (s *Server) Start(ctx context.Context) error {
	if unknown := unknownControllers(s.config.Controllers); len(unknown) > 0 {
		return fmt.Errorf("configure %s: unknown controllers %q", s.config.Name, unknown)
	}
	componentConfig, err := s.config.componentConfig()
	if err != nil {
		return fmt.Errorf("configure %s: %w", s.config.Name, err)
	}
	client := rest.CopyConfig(s.config.Client)
	client.QPS, client.Burst = clientQPS, clientBurst
	client.ContentType = "application/vnd.kubernetes.protobuf"
	client.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	if s.probe, err = kubernetes.NewForConfig(client); err != nil {
		return fmt.Errorf("make client of %s: %w", s.config.Name, err)
	}
	s.proven.Store(false)
	return s.runner.Start(ctx, func(ctx context.Context) error {
		ctx = klog.NewContext(ctx, s.config.Log.WithName(s.config.Name).V(1)) // information of Kubernetes is for its developers
		if err := s.waitForAPI(ctx); err != nil {
			return err
		}
		return s.followRoot(ctx, func(ctx context.Context) error { return run(ctx, client, componentConfig, s.config.Controllers) })
	})
}

// followRoot runs the controllers, and runs them anew when the root CA has changed, which they read once. It tries again for a while if
// they cannot be built.
func (s *Server) followRoot(ctx context.Context, run func(context.Context) error) error {
	if s.config.RootCA == "" {
		return run(ctx)
	}
	for tries := 1; ; tries++ {
		root, err := polled.NewContent(s.config.RootCA)
		if err != nil {
			return fmt.Errorf("read root CA: %w", err)
		}
		running, stop := context.WithCancel(ctx)
		var changed atomic.Bool
		var watching sync.WaitGroup
		watching.Go(func() {
			root.Run(running, func() {
				changed.Store(true)
				stop()
			})
		})
		err = run(running)
		stop()
		watching.Wait()
		switch {
		case ctx.Err() != nil:
			return err
		case errors.Is(err, errBuild) && tries < buildTries:
			select {
			case <-ctx.Done():
				return err
			case <-time.After(s.pause):
				continue
			}
		case !changed.Load():
			return err
		}
		tries = 0
		s.config.Log.WithName(s.config.Name).Info("The controllers begin anew with another root CA")
	}
}

// Ready returns nil once the default namespace has its service account, which a controller in both sets creates.
func (s *Server) Ready(ctx context.Context) error {
	if err := s.runner.Running(); err != nil {
		return err
	}
	if s.proven.Load() || !slices.Contains(s.config.Controllers, "serviceaccount-controller") {
		return nil
	}
	_, err := s.probe.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get service account of the default namespace: %w", err)
	}
	s.proven.Store(true)
	return nil
}

// Done is closed when the controllers have ended.
func (s *Server) Done() <-chan struct{} { return s.runner.Done() }

// Err is the reason why the controllers ended. It is nil while they run and after Stop.
func (s *Server) Err() error { return s.runner.Err() }

// Stop ends all controllers.
func (s *Server) Stop(ctx context.Context) error { return s.runner.Stop(ctx) }

func (s *Server) waitForAPI(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, apiPollInterval, true, func(ctx context.Context) (bool, error) {
		return s.probe.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error() == nil, nil
	})
}

func unknownControllers(names []string) []string {
	known := app.KnownControllers()
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(known, name) })
}
