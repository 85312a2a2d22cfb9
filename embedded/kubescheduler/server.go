// Package kubescheduler runs the Kubernetes scheduler inside this process, and kube-scheduler as a component of its own.
// In process it has the default profile, no port and no leader election.
package kubescheduler

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"

	"github.com/gardener-up/gardener-up/embedded/lifecycle"
)

const (
	clientQPS, clientBurst = 100, 200
	// initialBackoffSeconds is the interval between attempts to schedule a pod; on one machine a node appears soon or
	// never.
	initialBackoffSeconds, maxBackoffSeconds = 1, 5
)

// Config of one scheduler.
type Config struct {
	Name   string // unique in the process; also the component's name
	Client *rest.Config
	Log    logr.Logger
}

// Server is one scheduler in this process.
type Server struct {
	config Config
	runner lifecycle.Runner
	synced atomic.Bool
}

// New returns a scheduler that is not started; Start reports mistakes in config.
func New(config Config) *Server { return &Server{config: config} }

// Name of the component, taken from the configuration.
func (s *Server) Name() string { return s.config.Name }

// Start starts the scheduler in the background; the scheduler waits until the API is available.
func (s *Server) Start(ctx context.Context) error {
	config := rest.CopyConfig(s.config.Client)
	config.QPS, config.Burst = clientQPS, clientBurst
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make dynamic client of %s: %w", s.config.Name, err)
	}
	config = rest.CopyConfig(config)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make client of %s: %w", s.config.Name, err)
	}
	s.synced.Store(false)
	return s.runner.Start(ctx, func(ctx context.Context) error {
		return s.run(klog.NewContext(ctx, s.config.Log.WithName(s.config.Name).V(1)), config, client, dynamicClient)
	})
}

// Ready returns nil when the scheduler knows all nodes and pods.
func (s *Server) Ready(context.Context) error {
	if err := s.runner.Running(); err != nil {
		return err
	}
	if !s.synced.Load() {
		return errors.New("caches are not filled")
	}
	return nil
}

// Done is closed when the scheduler has ended.
func (s *Server) Done() <-chan struct{} { return s.runner.Done() }

// Err returns why the scheduler ended; nil while it runs and after Stop.
func (s *Server) Err() error { return s.runner.Err() }

// Stop ends the scheduler.
func (s *Server) Stop(ctx context.Context) error { return s.runner.Stop(ctx) }

func (s *Server) run(ctx context.Context, config *rest.Config, client kubernetes.Interface, dynamicClient dynamic.Interface) error {
	defaults, err := latest.Default()
	if err != nil {
		return fmt.Errorf("make default configuration: %w", err)
	}
	broadcaster := events.NewEventBroadcasterAdapterWithContext(ctx, client)
	broadcaster.StartRecordingToSink(ctx.Done())
	defer broadcaster.Shutdown()

	typed := scheduler.NewInformerFactory(client, 0)
	untyped := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamicClient, 0, corev1.NamespaceAll, nil)
	sched, err := scheduler.New(ctx, client, typed, untyped,
		func(name string) events.EventRecorderLogger { return broadcaster.NewRecorder(name) },
		scheduler.WithComponentConfigVersion(defaults.APIVersion),
		scheduler.WithKubeConfig(config),
		scheduler.WithProfiles(defaults.Profiles...),
		scheduler.WithPodInitialBackoffSeconds(initialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(maxBackoffSeconds),
	)
	if err != nil {
		return fmt.Errorf("make scheduler: %w", err)
	}
	typed.Start(ctx.Done())
	defer typed.Shutdown()
	untyped.Start(ctx.Done())
	defer untyped.Shutdown()
	typed.WaitForCacheSync(ctx.Done())
	untyped.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		return fmt.Errorf("fill caches: %w", err)
	}
	s.synced.Store(true)
	sched.Run(ctx)
	return ctx.Err()
}
