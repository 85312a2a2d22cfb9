package verticalautoscaler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/autoscaler/vertical-pod-autoscaler/common"
	vpaclient "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/client/clientset/versioned"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/features"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/client"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/metrics"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/featuregate"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/incluster"
)

const (
	// resync is long: nothing acts on resync events of informers.
	resync = 10 * time.Minute
	// Scales of custom workload kinds are requested again after scaleFresh, and cached for scaleLife.
	scaleFresh, scaleLife = 10 * time.Minute, time.Hour
	scaleJitter           = 1.0
	// kindsInterval is the interval for checking whether the resource manager has installed the kinds of the
	// autoscaler.
	kindsInterval = time.Second
)

// process is the common part of the three.
type process struct {
	name    string
	address string
	common  *common.CommonFlags
	gates   map[string]bool
}

// newCommand returns a command with the common flags. run does the work after the clients have been made.
func newCommand(name, short string, commonFlags *common.CommonFlags, bind func(*pflag.FlagSet), run func(context.Context, *process, *clients) error) *cobra.Command {
	p := &process{name: name, common: commonFlags}
	cmd := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			enableFeatures(p.gates, log.Log.WithName(name))
			clients, err := p.connect(cmd.Context())
			if err != nil {
				return err
			}
			return run(cmd.Context(), p, clients)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&p.common.KubeConfig, "kubeconfig", "", "kubeconfig of the cluster; empty means the pod's own service account")
	flags.Float64Var(&p.common.KubeApiQps, "kube-api-qps", p.common.KubeApiQps, "requests to the API server per second")
	flags.Float64Var(&p.common.KubeApiBurst, "kube-api-burst", p.common.KubeApiBurst, "requests to the API server at once")
	flags.StringVar(&p.common.VpaObjectNamespace, "vpa-object-namespace", "", "the only namespace to act in; all if empty")
	flags.StringVar(&p.common.IgnoredVpaObjectNamespaces, "ignored-vpa-object-namespaces", "", "namespaces to leave alone, separated by commas")
	flags.StringVar(&p.address, "address", p.address, "host:port of /health-check and /metrics over plain HTTP")
	flags.Var(cliflag.NewMapStringBool(&p.gates), "feature-gates", "name=true|false; unknown ones are left out")
	bind(flags)
	_ = cmd.MarkFlagRequired("address") // fails only if the flag does not exist
	return cmd
}

// enableFeatures skips feature gates that this version of the autoscaler does not know: the flags may have been written
// for another version.
func enableFeatures(gates map[string]bool, log logr.Logger) {
	known := features.MutableFeatureGate.GetAll()
	for name, on := range gates {
		if _, ok := known[featuregate.Feature(name)]; !ok {
			log.Info("Leaving out an unknown feature gate", "featureGate", name)
			continue
		}
		if err := features.MutableFeatureGate.SetFromMap(map[string]bool{name: on}); err != nil {
			log.Error(err, "Setting a feature gate has failed", "featureGate", name)
		}
	}
}

// clients for the cluster.
type clients struct {
	config    *rest.Config
	kube      kubernetes.Interface
	vpa       *vpaclient.Clientset
	informers informers.SharedInformerFactory
}

func (p *process) config() (*rest.Config, error) {
	if p.common.KubeConfig == "" {
		config, _, err := incluster.Config()
		return config, err
	}
	return clientcmd.BuildConfigFromFlags("", p.common.KubeConfig)
}

// connect waits until the kinds of the autoscaler are served, since the public code gives up if they are not.
func (p *process) connect(ctx context.Context) (*clients, error) {
	config, err := p.config()
	if err != nil {
		return nil, fmt.Errorf("configure cluster: %w", err)
	}
	config.QPS, config.Burst, config.UserAgent = float32(p.common.KubeApiQps), int(p.common.KubeApiBurst), p.name
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client of the cluster: %w", err)
	}
	vpa, err := vpaclient.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client of the autoscaler's kinds: %w", err)
	}
	if err := awaitKinds(ctx, vpa.Discovery(), log.Log.WithName(p.name)); err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(kube, resync,
		informers.WithNamespace(p.common.VpaObjectNamespace), informers.WithTransform(client.StripManagedFields))
	return &clients{config: config, kube: kube, vpa: vpa, informers: factory}, nil
}

func awaitKinds(ctx context.Context, cluster discovery.DiscoveryInterface, log logr.Logger) error {
	told := false
	return wait.PollUntilContextCancel(ctx, kindsInterval, true, func(context.Context) (bool, error) {
		list, err := cluster.ServerResourcesForGroupVersion("autoscaling.k8s.io/v1")
		if err == nil && len(list.APIResources) > 0 {
			return true, nil
		}
		if !told {
			log.Info("Waiting for the kinds of the autoscaler", "reason", fmt.Sprint(err))
			told = true
		}
		return false, nil
	})
}

// sync waits until the caches are filled.
func (c *clients) sync(ctx context.Context) error {
	c.informers.Start(ctx.Done())
	for kind, ok := range c.informers.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return fmt.Errorf("fill cache of %s: %w", kind, context.Cause(ctx))
		}
	}
	return nil
}

// serveHealth is called when everything is ready; it serves until ctx ends.
func (p *process) serveHealth(ctx context.Context, health *metrics.HealthCheck) error {
	mux := http.NewServeMux()
	mux.Handle("/health-check", health)
	mux.Handle("/metrics", promhttp.Handler())
	return serve(ctx, p.address, &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second})
}

// serve starts serving in the background, with TLS if the server is configured for it.
func serve(ctx context.Context, address string, server *http.Server) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen at %s: %w", address, err)
	}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		var err error
		if server.TLSConfig != nil {
			err = server.ServeTLS(listener, "", "")
		} else {
			err = server.Serve(listener)
		}
		if err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.FromContext(ctx).Error(err, "Serving has ended", "address", address)
		}
	}()
	return nil
}
