package autoscaler

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/scaleup"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/incluster"
)

// Name is the name of the component.
const Name = "cluster-autoscaler"

// syncTimeout is how long caches may take to fill: the API server of a new cluster may come later than this process.
const syncTimeout = 10 * time.Minute

// flags are the flags that are not settings of the scaler.
type flags struct {
	Options
	kubeconfig, address string
}

// controlVariable names the environment variable with the kubeconfig of the cluster with the machines, as in the public autoscaler.
const controlVariable = "CONTROL_KUBECONFIG"

// Command is the autoscaler as a component. It is a pod in the namespace of a cluster's control plane. It reads
// machines there with the pod's own service account, unless the environment names a kubeconfig, and ends with the context of the command.
func Command() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   Name,
		Short: "Adapt the number of machines of a cluster to its pods",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context()) },
	}
	set := cmd.Flags()
	f.Bind(set)
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster with the pods")
	set.StringVar(&f.address, "address", "0", "host:port of /health-check over plain HTTP; 0 for none")
	for name, usage := range accepted {
		set.String(name, "", usage+" (accepted, has no effect here)")
	}
	set.Lookup("emit-per-nodegroup-metrics").NoOptDefVal = "true"
	set.Lookup("balance-similar-node-groups").NoOptDefVal = "true"
	_ = cmd.MarkFlagRequired("kubeconfig") // fails only for a flag that does not exist
	return cmd
}

// accepted are flags of the public autoscaler that have no effect here.
var accepted = map[string]string{
	"cloud-provider":                       "the provider; always mcm",
	"balance-similar-node-groups":          "whether groups of a pool grow evenly; always",
	"emit-per-nodegroup-metrics":           "whether there are metrics of groups; never",
	"max-binpacking-time":                  "how long a simulation may take",
	"max-empty-bulk-delete":                "the former name of max-scale-down-parallelism",
	"scale-down-gpu-utilization-threshold": "share of GPUs below which a node may go",
	"v":                                    "log level",
}

func (f flags) run(ctx context.Context) error {
	control, namespace, err := controlCluster(os.Getenv(controlVariable))
	if err != nil {
		return fmt.Errorf("find the control cluster: %w", err)
	}
	if f.Namespace == "" {
		f.Namespace = namespace
	}
	target, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig)
	if err != nil {
		return fmt.Errorf("read kubeconfig of the target cluster: %w", err)
	}
	control.UserAgent, target.UserAgent = Name, Name
	scaler, mgr, err := New(control, target, f.Options, f.address)
	if err != nil {
		return err
	}
	if err := mgr.Add(scaler); err != nil {
		return fmt.Errorf("add the autoscaler: %w", err)
	}
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("run the autoscaler: %w", err)
	}
	return nil
}

// controlCluster is that of the kubeconfig file or, without a file, that of the pod with its namespace.
func controlCluster(kubeconfig string) (config *rest.Config, namespace string, err error) {
	if kubeconfig == "" {
		return incluster.Config()
	}
	config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	return config, "", err
}

// New makes the scaler and the manager of the target cluster, which has the scaler's caches. The caller must add the
// scaler to the manager.
func New(control, target *rest.Config, options Options, address string) (*Scaler, manager.Manager, error) {
	groups, err := options.Groups()
	if err != nil {
		return nil, nil, err
	}
	if _, err := scaleup.ParseExpanders(options.Expander, nil); err != nil {
		return nil, nil, err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, policyv1.AddToScheme, eventsv1.AddToScheme, machinev1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, nil, fmt.Errorf("build scheme: %w", err)
		}
	}
	machines, err := client.New(control, client.Options{Scheme: scheme})
	if err != nil {
		return nil, nil, fmt.Errorf("make client of the control cluster: %w", err)
	}
	mgr, err := manager.New(target, manager.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: address, LivenessEndpointName: "/health-check",
		Controller: config.Controller{CacheSyncTimeout: syncTimeout},
		Cache:      cache.Options{DefaultTransform: strip},
		Logger:     log.Log.WithName(Name),
	})
	if err != nil {
		return nil, nil, fmt.Errorf("make manager: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, nil, fmt.Errorf("add health check: %w", err)
	}
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return nil, nil, fmt.Errorf("add readiness check: %w", err)
	}
	return &Scaler{
		Control: machines, Target: mgr.GetClient(), TargetReader: mgr.GetAPIReader(), Recorder: mgr.GetEventRecorder(Name),
		Clock: clock.RealClock{}, Log: log.Log.WithName(Name), Options: options, Groups: groups,
	}, mgr, nil
}

// strip drops long fields that nobody reads.
func strip(object any) (any, error) {
	if o, ok := object.(client.Object); ok {
		o.SetManagedFields(nil)
	}
	switch o := object.(type) {
	case *corev1.Node:
		o.Status.Images = nil
	case *corev1.Pod:
		o.Status.ContainerStatuses, o.Status.InitContainerStatuses = nil, nil
	}
	return object, nil
}
