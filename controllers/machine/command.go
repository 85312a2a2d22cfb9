package machine

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/incluster"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
)

// Name is the name of the component.
const Name = "machine-controller-manager"

// syncTimeout is how long caches may take to fill: the API server of a new cluster may come later than this process.
const syncTimeout = 10 * time.Minute

// NewDriver makes the driver. The client is usable once the driver is called; it reads secrets and pods from the API
// server, all else from a cache.
type NewDriver func(ctx context.Context, control client.Client, namespace string) (contractmachine.Driver, error)

// options are the flags of the component.
type options struct {
	Config
	controlKubeconfig, targetKubeconfig string
	healthAddress                       string
	leaderElect                         bool
	qps                                 float32
	burst                               int
}

// Command is the machine controller as a component. It is a pod in the namespace of a cluster's control plane. It
// reads the objects of that namespace with the pod's own service account, and ends with the context of the command.
func Command(newDriver NewDriver) *cobra.Command {
	var opts options
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Keep the machines of a cluster",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return opts.run(cmd.Context(), newDriver)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.controlKubeconfig, "control-kubeconfig", "", "kubeconfig of the cluster with the Machine objects (default: the pod's service account)")
	flags.StringVar(&opts.targetKubeconfig, "target-kubeconfig", "", "kubeconfig of the cluster the machines join")
	flags.StringVar(&opts.Namespace, "namespace", "", "namespace of the Machine objects (default: the pod's)")
	flags.StringVar(&opts.healthAddress, "bind-address", "0", "host:port of /healthz and /readyz over plain HTTP; 0 for none")
	flags.BoolVar(&opts.leaderElect, "leader-elect", false, "elect a leader in the namespace of the Machine objects before acting")
	flags.Float32Var(&opts.qps, "kube-api-qps", 50, "requests per second to each API server")
	flags.IntVar(&opts.burst, "kube-api-burst", 100, "requests at once to each API server")
	flags.DurationVar(&opts.CreationTimeout, "machine-creation-timeout", 20*time.Minute, "how long a machine may take to become a ready node")
	flags.DurationVar(&opts.HealthTimeout, "machine-health-timeout", 10*time.Minute, "how long a node may be unhealthy before its machine is replaced")
	flags.DurationVar(&opts.DrainTimeout, "machine-drain-timeout", 2*time.Hour, "how long a node may take to lose its pods")
	flags.DurationVar(&opts.InPlaceUpdateTimeout, "machine-inplace-update-timeout", 30*time.Minute, "how long an update of a machine in place may take after draining")
	flags.StringSliceVar(&opts.NodeConditions, "node-conditions", DefaultNodeConditions, "conditions that make a node unhealthy when they are True")
	_ = cmd.MarkFlagRequired("target-kubeconfig") // fails only for a flag that does not exist
	return cmd
}

func (o options) run(ctx context.Context, newDriver NewDriver) error {
	controlConfig, err := o.controlConfig()
	if err != nil {
		return err
	}
	targetConfig, err := clientcmd.BuildConfigFromFlags("", o.targetKubeconfig)
	if err != nil {
		return fmt.Errorf("read kubeconfig of the target cluster: %w", err)
	}
	o.limit(controlConfig)
	o.limit(targetConfig)

	mgr, err := o.manager(controlConfig)
	if err != nil {
		return err
	}
	target, err := o.target(targetConfig)
	if err != nil {
		return err
	}
	if err := mgr.Add(target); err != nil {
		return fmt.Errorf("add target cluster: %w", err)
	}
	o.Target = target
	if o.Driver, err = newDriver(ctx, mgr.GetClient(), o.Namespace); err != nil {
		return fmt.Errorf("make driver: %w", err)
	}
	if err := AddToManager(mgr, o.Config); err != nil {
		return err
	}
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("run controllers: %w", err)
	}
	return nil
}

// controlConfig also finds the namespace, if no flag names it.
func (o *options) controlConfig() (*rest.Config, error) {
	if o.controlKubeconfig == "" {
		config, namespace, err := incluster.Config()
		if err != nil {
			return nil, fmt.Errorf("find the control cluster: %w", err)
		}
		o.Namespace = cmp.Or(o.Namespace, namespace)
		return config, nil
	}
	if o.Namespace == "" {
		return nil, fmt.Errorf("--control-kubeconfig needs --namespace")
	}
	config, err := clientcmd.BuildConfigFromFlags("", o.controlKubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig of the control cluster: %w", err)
	}
	return config, nil
}

func (o options) limit(config *rest.Config) {
	config.QPS, config.Burst, config.UserAgent = o.qps, o.burst, Name
}

// manager caches the machine objects of one namespace, without large fields that nobody reads.
func (o options) manager(cfg *rest.Config) (manager.Manager, error) {
	scheme, err := schemeOf(corev1.AddToScheme, machinev1alpha1.AddToScheme)
	if err != nil {
		return nil, err
	}
	mgr, err := manager.New(cfg, manager.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: o.healthAddress,
		LeaderElection:         o.leaderElect, LeaderElectionID: Name, LeaderElectionNamespace: o.Namespace,
		LeaderElectionReleaseOnCancel: true, // the process ends then
		Controller:                    config.Controller{CacheSyncTimeout: syncTimeout},
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{o.Namespace: {}},
			DefaultTransform:  cache.TransformStripManagedFields(),
		},
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}, &corev1.Pod{}}}},
		Logger: log.Log.WithName(Name),
	})
	if err != nil {
		return nil, fmt.Errorf("make manager: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("add health check: %w", err)
	}
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("add readiness check: %w", err)
	}
	return mgr, nil
}

// target caches nodes, but no pods.
func (o options) target(cfg *rest.Config) (cluster.Cluster, error) {
	scheme, err := schemeOf(corev1.AddToScheme, policyv1.AddToScheme)
	if err != nil {
		return nil, err
	}
	target, err := cluster.New(cfg, func(opts *cluster.Options) {
		opts.Scheme = scheme
		opts.Cache.DefaultTransform = stripNode
		opts.Client.Cache = &client.CacheOptions{DisableFor: []client.Object{&corev1.Pod{}}}
	})
	if err != nil {
		return nil, fmt.Errorf("make client of the target cluster: %w", err)
	}
	return target, nil
}

// stripNode drops long fields that nobody reads.
func stripNode(object any) (any, error) {
	if node, ok := object.(*corev1.Node); ok {
		node.ManagedFields = nil
		node.Status.Images = nil
	}
	return object, nil
}

func schemeOf(add ...func(*runtime.Scheme) error) (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, fn := range add {
		if err := fn(scheme); err != nil {
			return nil, fmt.Errorf("build scheme: %w", err)
		}
	}
	return scheme, nil
}
