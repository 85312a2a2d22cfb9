package resourcemanager

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/incluster"
)

// commandOptions are the flags of the component that are not part of Config.
type commandOptions struct {
	sourceKubeconfig string
	targetKubeconfig string
	namespace        string
	bindAddress      string
	leaderElect      bool
}

// Command is the resource manager as component `resource-manager`.
func Command() *cobra.Command {
	var (
		opts commandOptions
		cfg  Config
	)
	cmd := &cobra.Command{
		Use:           "resource-manager",
		Short:         "Apply ManagedResources of one cluster to another, and renew tokens and certificates there",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			mgr, err := newManager(opts, cfg)
			if err != nil {
				return err
			}
			return mgr.Start(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.sourceKubeconfig, "source-kubeconfig", "", "kubeconfig of the cluster with the ManagedResources; empty means the pod's own service account")
	flags.StringVar(&opts.targetKubeconfig, "target-kubeconfig", "", "kubeconfig of the cluster to apply them to; empty means the source cluster")
	flags.StringVar(&opts.namespace, "namespace", "", "namespace of the source cluster to look at; empty means all")
	flags.StringVar(&opts.bindAddress, "bind-address", ":8081", "address of the health endpoint")
	flags.BoolVar(&opts.leaderElect, "leader-elect", false, "elect a leader before acting")
	flags.StringVar(&cfg.Class, "resource-class", "", `class of ManagedResources to handle (default "resources")`)
	flags.StringVar(&cfg.ClusterID, "cluster-id", "", "identity for the origin annotation: literal, <cluster>, or <default>")
	flags.StringVar(&cfg.ManagedByLabel, "managed-by-label", "", `value of the managed-by label (default "gardener")`)
	flags.DurationVar(&cfg.SyncPeriod, "sync-period", 0, "period of comparing healthy resources (default 1m)")
	flags.BoolVar(&cfg.AlwaysUpdate, "always-update", false, "write resources at every sync")
	flags.IntVar(&cfg.ConcurrentSyncs, "max-concurrent-workers", 0, "number of ManagedResources handled at a time (default 5)")
	flags.BoolVar(&cfg.TokenRequestor, "token-requestor", false, "fill Secrets with tokens of the target cluster")
	flags.StringVar(&cfg.TokenRequestorClass, "token-requestor-class", "", "class of token Secrets to fill besides those without one")
	flags.BoolVar(&cfg.CSRApprover, "csr-approver", false, "approve serving certificates of kubelets of the target cluster")
	flags.StringVar(&cfg.MachineNamespace, "machine-namespace", "", "namespace of the Machines whose nodes get certificates; empty means every node")
	return cmd
}

func newManager(opts commandOptions, cfg Config) (manager.Manager, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	sourceConfig, err := restConfig(opts.sourceKubeconfig)
	if err != nil {
		return nil, fmt.Errorf("configure source cluster: %w", err)
	}
	options := manager.Options{
		Scheme:                  scheme,
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress:  opts.bindAddress,
		LeaderElection:          opts.leaderElect,
		LeaderElectionID:        "gardener-resource-manager",
		LeaderElectionNamespace: opts.namespace,
	}
	if opts.namespace != "" {
		options.Cache.DefaultNamespaces = map[string]cache.Config{opts.namespace: {}}
	}
	mgr, err := manager.New(sourceConfig, options)
	if err != nil {
		return nil, fmt.Errorf("make manager of the source cluster: %w", err)
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping)); err != nil {
		return nil, fmt.Errorf("add health checks: %w", err)
	}
	target, err := targetCluster(mgr, opts.targetKubeconfig, scheme)
	if err != nil {
		return nil, err
	}
	return mgr, AddToManager(mgr, target, cfg)
}

func targetCluster(mgr manager.Manager, kubeconfig string, scheme *runtime.Scheme) (cluster.Cluster, error) {
	if kubeconfig == "" {
		return mgr, nil
	}
	config, err := restConfig(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("configure target cluster: %w", err)
	}
	target, err := cluster.New(config, func(o *cluster.Options) { o.Scheme = scheme })
	if err != nil {
		return nil, fmt.Errorf("make client of the target cluster: %w", err)
	}
	if err := mgr.Add(target); err != nil {
		return nil, fmt.Errorf("add target cluster: %w", err)
	}
	return target, nil
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), resourcesv1alpha1.AddToScheme(scheme), machinev1alpha1.AddToScheme(scheme))
	if err != nil {
		return nil, fmt.Errorf("build scheme: %w", err)
	}
	return scheme, nil
}

// restConfig allows as many requests as Gardener's own resource manager.
func restConfig(kubeconfig string) (config *rest.Config, err error) {
	if kubeconfig == "" {
		config, _, err = incluster.Config()
	} else {
		config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	}
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 100, 130
	return config, nil
}
