// Package integration tests what a gardenlet does for its seed, against a real Gardener API. Garden and seed are the same
// cluster, which the kinds allow; extensions are played by the tests.
package integration

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/controllermanager"
	"github.com/gardener-up/gardener-up/controllers/druid"
	"github.com/gardener-up/gardener-up/controllers/druid/protection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// outage makes all new requests of the gardenlet to the garden fail.
var outage cut

// cut separates the gardenlet from the garden.
type cut struct {
	mu sync.RWMutex // held for reading by requests that are on their way
	is bool
}

// set waits for requests that are on their way.
func (c *cut) set(is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.is = is
}

// link is the way from the gardenlet to the garden.
type link struct{ http.RoundTripper }

func (l *link) RoundTrip(request *http.Request) (*http.Response, error) {
	outage.mu.RLock()
	defer outage.mu.RUnlock()
	if outage.is {
		return nil, errors.New("the garden is out of reach")
	}
	return l.RoundTripper.RoundTrip(request)
}

// cluster is the client of an administrator of garden and seed, without a cache.
var cluster client.Client

const configuration = `
apiVersion: gardenlet.config.gardener.cloud/v1alpha1
kind: GardenletConfiguration
controllers:
  seed: {leaseResyncSeconds: 1, leaseResyncMissThreshold: 3, syncPeriod: 1s}
  seedCare: {syncPeriod: 1s}
  backupEntry: {deletionGracePeriodHours: 48, deletionGracePeriodShootPurposes: [production]}
server: {https: {bindAddress: 127.0.0.1, port: %d}}
resources: {capacity: {shoots: "100", local.extensions.gardener.cloud/load-balancers: "7"}, reserved: {shoots: "3"}}
seedConfig:
  metadata: {name: local, labels: {a: b}}
  spec:
    provider: {type: local, region: local}
    networks: {pods: 10.1.0.0/16, services: 10.2.0.0/16, nodes: 10.0.0.0/16}
    ingress: {domain: ingress.example.org, controller: {kind: nginx}}
    dns: {provider: {type: local, secretRef: {name: dns, namespace: garden}}}
    backup: {provider: elsewhere, region: far, secretRef: {name: backup, namespace: garden}}
    settings: {verticalPodAutoscaler: {enabled: false}}
`

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	g, err := gardenapitest.Start(gardenapitest.Options{Env: testenv.Options{
		APIServerArgs: []string{
			"--disable-admission-plugins=ValidatingAdmissionWebhook", // no node runs the seed's admission
			"--enable-bootstrap-token-auth",
		},
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, "start garden:", err)
		return 1
	}
	defer g.Stop()
	environment = g
	ctx, cancel := context.WithCancel(context.Background())
	ended, err := setUp(ctx, g)
	defer func() { // before the garden: it waits for open watches
		cancel()
		for range ended {
		}
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// setUp starts the managers; the channel is closed when they have ended.
func setUp(ctx context.Context, g *gardenapitest.Garden) (<-chan struct{}, error) {
	log.SetLogger(logr.Discard())
	ended := make(chan struct{})
	none := make(chan struct{})
	close(none)
	gardenScheme, seedScheme, all := runtime.NewScheme(), runtime.NewScheme(), runtime.NewScheme()
	err := errors.Join(install.AddGarden(gardenScheme), install.AddSeed(seedScheme), install.AddGarden(all), install.AddSeed(all))
	if err != nil {
		return none, err
	}
	if cluster, err = client.New(g.Config, client.Options{Scheme: all}); err != nil {
		return none, err
	}
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "garden"}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "backup"}, Data: map[string][]byte{"key": []byte("value")}},
	} {
		if err := cluster.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return none, err
		}
	}
	if err := seed.InstallCRDs(ctx, cluster); err != nil {
		return none, err
	}
	options := func(scheme *runtime.Scheme) manager.Options {
		return manager.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}}
	}
	gardenConfig := rest.CopyConfig(g.Config)
	gardenConfig.Wrap(func(next http.RoundTripper) http.RoundTripper { return &link{next} })
	gardenManager, err := manager.New(gardenConfig, options(gardenScheme))
	if err != nil {
		return none, err
	}
	seedManager, err := manager.New(g.Config, options(seedScheme))
	if err != nil {
		return none, err
	}
	if healthPort, err = gardenapitest.FreePort("127.0.0.1"); err != nil {
		return none, err
	}
	cfg, err := config.Decode(fmt.Appendf(nil, configuration, healthPort))
	if err != nil {
		return none, err
	}
	garden, member := bootstrap.Garden{Server: g.Config.Host, CA: g.Config.CAData}, &protection.Member{Identity: "id/seed"}
	err = errors.Join(
		gardenlet.AddToManager(gardenManager, gardenlet.Config{
			Image: "gardener", Leave: member.Leave,
			Seed: seedManager, Configuration: cfg, Identity: gardencorev1beta1.Gardener{ID: "id", Name: "gardenlet", Version: "v1"},
			Access: exposure.Access{FrontDoorPort: 8443, FrontDoorAddress: "127.0.0.1"}, Credentials: credentials,
			Garden: &garden, GardenInSeed: &bootstrap.GardenService{Garden: garden, Service: gardenService},
		}),
		controllermanager.AddToManager(gardenManager, controllermanager.Config{}), druid.AddToManager(seedManager, druid.Config{Image: "gardener", Backups: "/backups", Protection: member, Protect: true}))
	if err != nil {
		return none, err
	}
	go func() {
		defer close(ended)
		results := make(chan error)
		for _, mgr := range []manager.Manager{gardenManager, seedManager} {
			go func() { results <- mgr.Start(ctx) }()
		}
		if err := errors.Join(<-results, <-results); err != nil {
			panic(err) // every test would time out
		}
	}()
	return ended, nil
}

// eventually asks again after each change in garden or seed, and fails the test when check does not succeed in time.
func eventually(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	environment.Until(t, what, check)
}

func create[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := cluster.Create(t.Context(), object); err != nil {
		t.Fatalf("create %T: %v", object, err)
	}
	return object
}

func get[T client.Object](ctx context.Context, object T) (T, error) {
	return object, cluster.Get(ctx, client.ObjectKeyFromObject(object), object)
}

func isGone(object client.Object) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, err := get(ctx, object); !apierrors.IsNotFound(err) {
			return fmt.Errorf("%T %q still exists (%v)", object, object.GetName(), err)
		}
		return nil
	}
}

func merge(t *testing.T, object client.Object, patch string, subresource ...string) {
	t.Helper()
	raw := client.RawPatch("application/merge-patch+json", []byte(patch))
	var err error
	if len(subresource) > 0 {
		err = cluster.SubResource(subresource[0]).Patch(t.Context(), object, raw)
	} else {
		err = cluster.Patch(t.Context(), object, raw)
	}
	if err != nil {
		t.Fatalf("patch %T %v: %v", object, subresource, err)
	}
}
