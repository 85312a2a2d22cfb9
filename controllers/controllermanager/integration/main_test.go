// Package integration tests the controllers of the garden, the scheduler among them, against a real Gardener API.
package integration

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/controllermanager"
	"github.com/gardener-up/gardener-up/controllers/controllermanager/config"
	"github.com/gardener-up/gardener-up/controllers/scheduler"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// environment serves the garden. garden is the client of an administrator, without a cache; access is what it was made of.
var (
	environment *gardenapitest.Garden

	garden client.Client
	access *rest.Config
)

// monitorPeriod is how old a lease may be in these tests.
const monitorPeriod = 5 * time.Second

// configurationOfTests lets what takes days happen at once.
const configurationOfTests = `
controllers:
  seed: {syncPeriod: 500ms, monitorPeriod: 5s, shootMonitorPeriod: 1s}
  project:
    minimumLifetimeDays: 0
    staleGracePeriodDays: 0
    staleExpirationTimeDays: 30
    quotas:
    - config: {metadata: {labels: {size: small}}, spec: {hard: {count/secrets: "7", count/configmaps: "9"}}}
      projectSelector: {matchLabels: {limited: "true"}}
  plant: {syncPeriod: 500ms}
  event: {ttlNonShootEvents: 2s}
  shootRetry: {retryPeriod: 1s, retryJitterPeriod: 0s}
`

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	g, err := gardenapitest.Start(gardenapitest.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "start garden:", err)
		return 1
	}
	defer g.Stop()
	environment = g
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	if err := setUp(ctx, g, ended); err != nil {
		cancel()
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { cancel(); <-ended }() // before the garden: it waits for open watches
	return m.Run()
}

func setUp(ctx context.Context, g *gardenapitest.Garden, ended chan<- struct{}) error {
	log.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		return err
	}
	var err error
	access = g.Config
	if garden, err = client.New(g.Config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	for _, name := range []string{"garden", "gardener-system-seed-lease"} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := garden.Create(context.Background(), namespace); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	mgr, err := manager.New(calls.of(g.Config), manager.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	configuration, err := config.Decode([]byte(configurationOfTests))
	if err != nil {
		return err
	}
	err = controllermanager.AddToManager(mgr, controllermanager.Config{Configuration: configuration})
	if err != nil {
		return err
	}
	if err := scheduler.AddToManager(mgr, scheduler.Config{}); err != nil {
		return err
	}
	go func() {
		defer close(ended)
		if err := mgr.Start(ctx); err != nil {
			panic(err) // every test would time out
		}
	}()
	return nil
}

// eventually asks again after each change in the garden, and fails the test when check does not succeed in time.
func eventually(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	environment.Until(t, what, check)
}

// stays fails the test when check fails within the time. That nothing happens can only be seen by waiting.
func stays(t *testing.T, during time.Duration, what string, check func(context.Context) error) {
	t.Helper()
	testwait.Stays(t, during, what, func() error { return check(t.Context()) })
}

func create[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := garden.Create(t.Context(), object); err != nil {
		t.Fatalf("create %T: %v", object, err)
	}
	return object
}

func get[T client.Object](ctx context.Context, object T) (T, error) {
	return object, garden.Get(ctx, client.ObjectKeyFromObject(object), object)
}

func exists(object client.Object) func(context.Context) error {
	return func(ctx context.Context) error { _, err := get(ctx, object); return err }
}

func isGone(object client.Object) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, err := get(ctx, object); !apierrors.IsNotFound(err) {
			return fmt.Errorf("%T %q still exists (%v)", object, object.GetName(), err)
		}
		return nil
	}
}

// remove confirms the deletion of an object and deletes it.
func remove(t *testing.T, object client.Object) {
	t.Helper()
	merge(t, object, `{"metadata":{"annotations":{"confirmation.gardener.cloud/deletion":"true"}}}`)
	if err := garden.Delete(t.Context(), object); err != nil {
		t.Fatalf("delete %T: %v", object, err)
	}
}

func merge(t *testing.T, object client.Object, patch string, subresource ...string) {
	t.Helper()
	raw := client.RawPatch("application/merge-patch+json", []byte(patch))
	var err error
	if len(subresource) > 0 {
		err = garden.SubResource(subresource[0]).Patch(t.Context(), object, raw)
	} else {
		err = garden.Patch(t.Context(), object, raw)
	}
	if err != nil {
		t.Fatalf("patch %T %v: %v", object, subresource, err)
	}
}

// newSeed is a seed in a region of its own, so that tests do not get each other's shoots.
func newSeed(name string) *gardencorev1beta1.Seed {
	seed := &gardencorev1beta1.Seed{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: gardencorev1beta1.SeedSpec{
			Provider: gardencorev1beta1.SeedProvider{Type: "local", Region: name},
			Networks: gardencorev1beta1.SeedNetworks{Pods: "10.1.0.0/16", Services: "10.2.0.0/16", Nodes: ptr.To("10.0.0.0/16")},
			Ingress:  &gardencorev1beta1.Ingress{Domain: "ingress.example.org", Controller: gardencorev1beta1.IngressController{Kind: "nginx"}},
		},
	}
	seed.Spec.DNS.Provider = &gardencorev1beta1.SeedDNSProvider{Type: "local", SecretRef: corev1.SecretReference{Name: "dns", Namespace: "garden"}}
	return seed
}

func newCloudProfile(name string, regions ...string) *gardencorev1beta1.CloudProfile {
	profile := &gardencorev1beta1.CloudProfile{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: gardencorev1beta1.CloudProfileSpec{
			Type:       "local",
			Kubernetes: gardencorev1beta1.KubernetesSettings{Versions: []gardencorev1beta1.ExpirableVersion{{Version: "1.36.3"}}},
			MachineImages: []gardencorev1beta1.MachineImage{{Name: "local", Versions: []gardencorev1beta1.MachineImageVersion{
				{ExpirableVersion: gardencorev1beta1.ExpirableVersion{Version: "1.0.0"}},
			}}},
			MachineTypes: []gardencorev1beta1.MachineType{{Name: "local", CPU: resource.MustParse("2"), GPU: resource.MustParse("0"), Memory: resource.MustParse("4Gi")}},
		},
	}
	for _, region := range regions {
		profile.Spec.Regions = append(profile.Spec.Regions, gardencorev1beta1.Region{Name: region})
	}
	return profile
}

func newShoot(name, namespace, profile, region string) *gardencorev1beta1.Shoot {
	return &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: gardencorev1beta1.ShootSpec{
			CloudProfile:      &gardencorev1beta1.CloudProfileReference{Kind: "CloudProfile", Name: profile},
			SecretBindingName: ptr.To("local"), Region: region,
			Networking: &gardencorev1beta1.Networking{Type: ptr.To("calico")},
			Kubernetes: gardencorev1beta1.Kubernetes{Version: "1.36.3"},
			Provider: gardencorev1beta1.Provider{Type: "local", Workers: []gardencorev1beta1.Worker{
				{Name: "local", Minimum: 1, Maximum: 2, Machine: gardencorev1beta1.Machine{Type: "local"}},
			}},
		},
	}
}

// newProject creates a project and waits until it is ready; it returns the namespace.
func newProject(t *testing.T, name string) (*gardencorev1beta1.Project, string) {
	t.Helper()
	p := create(t, &gardencorev1beta1.Project{ObjectMeta: metav1.ObjectMeta{Name: name}})
	eventually(t, "project is ready", inPhase(p, gardencorev1beta1.ProjectReady))
	return p, *p.Spec.Namespace
}

func inPhase(p *gardencorev1beta1.Project, phase gardencorev1beta1.ProjectPhase) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, err := get(ctx, p); err != nil {
			return err
		}
		if p.Status.Phase != phase {
			return fmt.Errorf("phase is %q, not %q", p.Status.Phase, phase)
		}
		return nil
	}
}

func mergeFrom(before client.Object) client.Patch { return client.MergeFrom(before) }
