// Package integration tests the controllers of Gardens against one API server, which is the runtime cluster and the virtual garden.
package integration

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/operator/garden"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/access"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/authority"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/care"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/policy"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/reference"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/rotation"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

var (
	env     *testenv.Env
	cluster client.Client // of an administrator, without a cache
)

func TestMain(m *testing.M) {
	definitions, err := definitions()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{CRDs: definitions}, func(e *testenv.Env) {
		env = e
		if err := setUp(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			e.Stop()
			os.Exit(1)
		}
	})
}

func definitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	resources, err := crds.Resources()
	if err != nil {
		return nil, err
	}
	operator, err := crds.Operator()
	return slices.Concat(resources, operator, []*apiextensionsv1.CustomResourceDefinition{seeds()}), err
}

// setUp starts one manager for all tests.
func setUp() error {
	log.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return err
	}
	var err error
	if cluster, err = client.New(env.Config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	if err := cluster.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden"}}); err != nil {
		return err
	}
	if err := (patch.Applier{Client: cluster, Owner: "test"}).ApplyAll(context.Background(), policy.Objects()...); err != nil {
		return err
	}
	mgr, err := manager.New(env.Config, manager.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	if err := add(mgr); err != nil {
		return err
	}
	go func() { _ = mgr.Start(context.Background()) }()
	return nil
}

func add(mgr manager.Manager) error {
	if err := (&reference.Reconciler{Client: mgr.GetClient(), Reader: mgr.GetAPIReader()}).AddToManager(mgr, workers.Insistent(1)); err != nil {
		return err
	}
	checks := &care.Reconciler{Runtime: mgr.GetClient(), Virtual: host.Connected(env.Config), Clock: clock.RealClock{}, Period: time.Minute, Components: components()}
	if err := checks.AddToManager(mgr, workers.Insistent(1)); err != nil {
		return err
	}
	virtual := runtime.NewScheme()
	if err := install.AddGarden(virtual); err != nil {
		return err
	}
	virtualGarden, err := client.New(env.Config, client.Options{Scheme: virtual})
	if err != nil {
		return err
	}
	gardens := &garden.Reconciler{
		Runtime: mgr.GetClient(), Host: theHost(), Access: theAccess(), Clock: clock.RealClock{}, ComponentTimeout: time.Second, SyncPeriod: time.Hour,
		Authority: authority.Authority{Runtime: mgr.GetClient(), Reader: mgr.GetAPIReader(), Clock: clock.RealClock{}, Turn: &sync.Mutex{}},
		Password:  observability.Password{Runtime: mgr.GetClient(), Reader: mgr.GetAPIReader(), Clock: clock.RealClock{}},
		Users:     rotation.Users{Runtime: mgr.GetClient(), Reader: mgr.GetAPIReader(), Virtual: virtualGarden},
	}
	if err := gardens.AddToManager(mgr, workers.Insistent(1)); err != nil {
		return err
	}
	return resourcemanager.AddToManager(mgr, resourcemanager.Config{
		Target: mgr, Name: "garden", Namespaces: []string{"garden"},
		TokenRequestor: true, TokenRequestorClass: resourcesv1alpha1.ResourceManagerClassShoot,
	})
}

// theHost runs one component, and all Gardens with the name local.
func theHost() host.Host {
	return host.Host{
		Name: "local", Versions: []string{"1.34.0"}, Domain: "garden.example.org", Components: components(),
		Access:   func(*operatorv1alpha1.Garden) host.Access { return theAccess().Garden },
		Gardener: gardencorev1beta1.Gardener{Name: "test", Version: "1"}, Credentials: credentials(),
	}
}

func theAccess() access.Access {
	return access.Access{Runtime: cluster, Reader: cluster, Virtual: host.Connected(env.Config), Garden: host.Access{Server: env.Config.Host, ForPods: "https://garden.in.the.seed:443", CA: func() ([]byte, error) { return env.Config.CAData, nil }}}
}

// aGarden has every required field.
func aGarden(name string) *operatorv1alpha1.Garden {
	garden := &operatorv1alpha1.Garden{ObjectMeta: metav1.ObjectMeta{Name: name}}
	garden.Spec.RuntimeCluster = operatorv1alpha1.RuntimeCluster{
		Ingress: operatorv1alpha1.Ingress{
			Domains: []operatorv1alpha1.DNSDomain{{Name: "ingress.example.org"}}, Controller: operatorv1alpha1.IngressController{Kind: "nginx"},
		},
		Networking: operatorv1alpha1.RuntimeNetworking{Pods: []string{"10.1.0.0/16"}, Services: []string{"10.2.0.0/16"}},
	}
	virtual := &garden.Spec.VirtualCluster
	virtual.DNS.Domains = []operatorv1alpha1.DNSDomain{{Name: "garden.example.org"}}
	virtual.Gardener.ClusterIdentity, virtual.Kubernetes.Version = "test", "1.34.0"
	virtual.Networking.Services = []string{"100.64.0.0/16"}
	virtual.Maintenance.TimeWindow.Begin, virtual.Maintenance.TimeWindow.End = "220000+0100", "230000+0100"
	return garden
}
