package cloudcontroller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/incluster"
	"github.com/gardener-up/gardener-up/embedded/node/sharedvolume"
	"github.com/gardener-up/gardener-up/embedded/shortanswers"
	"github.com/gardener-up/gardener-up/local/cloudcontroller/nodes"
	"github.com/gardener-up/gardener-up/local/loadbalancer"
	"github.com/gardener-up/gardener-up/local/volume"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Component is the name of Command, and of the objects of the component in the seed.
const Component = "cloud-controller-manager"

const (
	// qps and burst bound requests to the shoot.
	qps, burst = 20, 50
	// shutdown is how long the controllers may take to end. A task is given up somewhat later.
	shutdown = 5 * time.Second
)

// options are the flags of the component.
type options struct {
	kubeconfig, healthAddress     string
	seedKubeconfig, seedNamespace string
	leaderElect                   bool
}

// Command is the cloud controller as a component. It logs to the logger of its context.
func Command(around incluster.Surroundings) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:           Component,
		Short:         "Be the cloud of a shoot: load balancers, volumes, and nodes without a machine",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), around) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the shoot; a file with a token is looked for below the working directory")
	flags.StringVar(&o.seedKubeconfig, "seed-kubeconfig", "", "kubeconfig of the seed (default: the pod's service account)")
	flags.StringVar(&o.seedNamespace, "namespace", "", "namespace of the control plane in the seed (default: the pod's)")
	flags.StringVar(&o.healthAddress, "bind-address", "0", "host:port of /healthz and /readyz over plain HTTP; 0 for none")
	flags.BoolVar(&o.leaderElect, "leader-elect", false, "elect a leader in the namespace kube-system of the shoot before acting")
	_ = cmd.MarkFlagRequired("kubeconfig") // fails only for a flag that does not exist
	return cmd
}

func (o options) run(ctx context.Context, around incluster.Surroundings) error {
	seedConfig, namespace, err := o.seed(around)
	if err != nil {
		return fmt.Errorf("find the seed: %w", err)
	}
	seed, err := seedReader(seedConfig)
	if err != nil {
		return err
	}
	shootConfig, err := shootConfig(around, o.kubeconfig)
	if err != nil {
		return err
	}
	mgr, err := o.manager(ctx, shootConfig)
	if err != nil {
		return err
	}
	defer utilnet.CloseIdleConnectionsFor(mgr.GetHTTPClient().Transport) // a task ends, its process goes on
	shoot, err := client.NewWithWatch(shootConfig, client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(), HTTPClient: mgr.GetHTTPClient()})
	if err != nil {
		return fmt.Errorf("make client of the shoot: %w", err)
	}
	balancers := &loadbalancer.Reconciler{Client: shoot}
	removal := &nodes.Reconciler{Shoot: shoot, Seed: seed, Namespace: namespace}
	err = errors.Join(balancers.AddToManager(mgr, workers.Options{}), removal.AddToManager(mgr, workers.Options{}))
	if dir := sharedvolume.DirOf(around.Variable, namespace); dir != "" { // nodes of container machines bring volumes themselves
		err = errors.Join(err, volume.AddToManager(mgr, volume.Config{Dir: dir, Shoot: shoot}))
	}
	read := func(request *http.Request) error {
		if o.leaderElect {
			return nil // only the leader reads
		}
		return errors.Join(balancers.Ready(request), removal.Ready(request))
	}
	err = errors.Join(err, mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("shoot", read))
	if err != nil {
		return err
	}
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("run controllers: %w", err)
	}
	return nil
}

// seed returns how to reach the seed, and the namespace of the control plane.
func (o options) seed(around incluster.Surroundings) (*rest.Config, string, error) {
	if o.seedKubeconfig == "" {
		config, namespace, err := around.Config()
		return config, cmp.Or(o.seedNamespace, namespace), err
	}
	if o.seedNamespace == "" {
		return nil, "", errors.New("--seed-kubeconfig needs --namespace")
	}
	config, err := clientcmd.BuildConfigFromFlags("", around.File(o.seedKubeconfig))
	return config, o.seedNamespace, err
}

// seedReader reads objects beside the control plane.
func seedReader(config *rest.Config) (client.Reader, error) {
	scheme, err := schemeOf(corev1.AddToScheme, machinev1alpha1.AddToScheme, extensionsv1alpha1.AddToScheme)
	if err != nil {
		return nil, err
	}
	kinds, err := mapper(nil, nil)
	if err != nil {
		return nil, err
	}
	reader, err := client.New(named(config), client.Options{Scheme: scheme, Mapper: kinds})
	if err != nil {
		return nil, fmt.Errorf("make client of the seed: %w", err)
	}
	return reader, nil
}

// shootConfig reads a kubeconfig that extensions mount. It names the file of its token by a path in a container.
func shootConfig(around incluster.Surroundings, path string) (*rest.Config, error) {
	kubeconfig, err := clientcmd.LoadFromFile(around.File(path))
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig of the shoot: %w", err)
	}
	tokens := map[string]string{}
	for name, user := range kubeconfig.AuthInfos {
		mounted := around.File(strings.TrimPrefix(user.TokenFile, "/"))
		if _, err := os.Stat(mounted); filepath.IsAbs(user.TokenFile) && err == nil {
			user.TokenFile, tokens[name] = "", mounted
		}
	}
	if err := clientcmd.ResolveLocalPaths(kubeconfig); err != nil {
		return nil, fmt.Errorf("find the files of the kubeconfig of the shoot: %w", err)
	}
	for name, file := range tokens {
		kubeconfig.AuthInfos[name].TokenFile = file
	}
	config, err := clientcmd.NewDefaultClientConfig(*kubeconfig, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig of the shoot: %w", err)
	}
	config.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil } // client-go keeps the connections of others for ever
	return shortanswers.Only(named(config)), nil
}

func named(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.UserAgent, config.QPS, config.Burst = Component, qps, burst
	return config
}

// manager of the shoot. Nobody uses its cache.
func (o options) manager(ctx context.Context, shoot *rest.Config) (manager.Manager, error) {
	scheme, err := schemeOf(corev1.AddToScheme, storagev1.AddToScheme)
	if err != nil {
		return nil, err
	}
	again, wait, logger := true, shutdown, log.FromContext(ctx)
	mgr, err := manager.New(shoot, manager.Options{
		Scheme: scheme, Logger: logger, Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: o.healthAddress,
		BaseContext:    func() context.Context { return log.IntoContext(context.Background(), logger) },
		LeaderElection: o.leaderElect, LeaderElectionID: Component, LeaderElectionNamespace: metav1.NamespaceSystem, LeaderElectionReleaseOnCancel: true,
		GracefulShutdownTimeout: &wait,
		Controller:              config.Controller{SkipNameValidation: &again}, // the process of an embedded node has those of all shoots
		MapperProvider:          mapper,
	})
	if err != nil {
		return nil, fmt.Errorf("make manager: %w", err)
	}
	return mgr, nil
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
