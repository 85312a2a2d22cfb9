package resourcemanager_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

var (
	env    *testenv.Env
	target client.Client // source and target are the same cluster
)

// namespace is the only one the resource manager under test looks at.
const namespace = "shoot--local--test"

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
	machines, err := crds.Machine()
	return slices.Concat(resources, machines), err
}

// setUp starts one resource manager for all tests.
func setUp() error {
	log.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		return err
	}
	var err error
	if target, err = client.New(env.Config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	for _, name := range []string{namespace, "other"} {
		if err := target.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return err
		}
	}
	if err := target.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: hooked, Labels: map[string]string{"gardener.cloud/role": "shoot", "high-availability-config.resources.gardener.cloud/consider": "true"},
		Annotations: map[string]string{
			"control-plane.shoot.gardener.cloud/enforce-zone": "zone-a", "high-availability-config.resources.gardener.cloud/zones": "a,b",
			"high-availability-config.resources.gardener.cloud/failure-tolerance-type": "zone",
		},
	}}); err != nil {
		return err
	}
	mgr, err := manager.New(env.Config, manager.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	})
	if err != nil {
		return err
	}
	err = resourcemanager.AddToManager(mgr, resourcemanager.Config{
		ClusterID: "test", SyncPeriod: time.Second, TokenRequestor: true, TokenRequestorClass: "shoot",
		CSRApprover: true, MachineNamespace: namespace, NodeController: true, NodeBackoff: 200 * time.Millisecond,
		GarbageCollectorPeriod: time.Second, GarbageCollectorMinimumAge: 2 * time.Second, TokenInvalidatorSyncs: 2, RootCA: []byte("root"),
		NetworkPolicies: config.NetworkPolicy{
			ConcurrentController: config.ConcurrentController{Switch: config.Switch{Enabled: true}}, NamespaceSelectors: []metav1.LabelSelector{{MatchLabels: policed}},
		},
		TargetNamespaces: []string{hooked}, Webhooks: allWebhooks(), Webhook: resourcemanager.WebhookServer{
			Name: "gardener-resource-manager", BindAddress: net.JoinHostPort(env.Address, "0"), Namespace: namespace,
		},
	})
	if err != nil {
		return err
	}
	go func() {
		if err := mgr.Start(context.Background()); err != nil {
			panic(err) // every test would time out
		}
	}()
	return nil
}

func allWebhooks() config.Webhooks {
	on := config.Switch{Enabled: true}
	return config.Webhooks{
		ProjectedTokenMount: config.ProjectedTokenMount{Switch: on, ExpirationSeconds: 43200}, PodTopologySpreadConstraints: on, PodZoneAffinity: on,
		SeccompProfile: on, TokenInvalidator: on, HighAvailabilityConfig: config.HighAvailabilityConfig{Switch: on},
		PodSchedulerName:       config.PodSchedulerName{Switch: on, SchedulerName: "other-scheduler"},
		KubernetesServiceHost:  config.KubernetesServiceHost{Switch: on, Host: "api.example.org"},
		SystemComponentsConfig: config.SystemComponentsConfig{Switch: on, PodNodeSelector: map[string]string{"system": "true"}},
	}
}

// eventually fails the test when check does not succeed in time.
func eventually(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	env.Until(t, what, check)
}

// always fails the test when check fails within two sync periods. That nothing happens can only be seen by waiting.
func always(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	testwait.Stays(t, 2500*time.Millisecond, what, func() error { return check(t.Context()) })
}

// managedResource is one with a Secret of the same name.
type managedResource struct {
	t    *testing.T
	name string
}

func create(t *testing.T, name, content string, change ...func(*resourcesv1alpha1.ManagedResource)) managedResource {
	t.Helper()
	r := managedResource{t, name}
	resource := &resourcesv1alpha1.ManagedResource{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       resourcesv1alpha1.ManagedResourceSpec{SecretRefs: []corev1.LocalObjectReference{{Name: name}}},
	}
	for _, f := range change {
		f(resource)
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: resource.Namespace, Name: name},
		Data:       map[string][]byte{"objects.yaml": []byte(content)},
	}
	for _, object := range []client.Object{secret, resource} {
		if err := target.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		_ = target.Delete(context.Background(), resource)
		_ = target.Delete(context.Background(), secret)
	})
	return r
}

func (r managedResource) setContent(content string) {
	r.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: r.name}}
	eventually(r.t, "change secret", func(ctx context.Context) error {
		if err := target.Get(ctx, client.ObjectKeyFromObject(secret), secret); err != nil {
			return err
		}
		secret.Data = map[string][]byte{"objects.yaml": []byte(content)}
		return target.Update(ctx, secret)
	})
}

func (r managedResource) get(ctx context.Context) (*resourcesv1alpha1.ManagedResource, error) {
	resource := &resourcesv1alpha1.ManagedResource{}
	return resource, target.Get(ctx, client.ObjectKey{Namespace: namespace, Name: r.name}, resource)
}

// waitFor waits for a condition with the status and the reason.
func (r managedResource) waitFor(condition, status, reason string) {
	r.t.Helper()
	eventually(r.t, condition+"="+status, func(ctx context.Context) error {
		resource, err := r.get(ctx)
		if err != nil {
			return err
		}
		for _, c := range resource.Status.Conditions {
			if string(c.Type) == condition && string(c.Status) == status && c.Reason == reason && resource.Status.ObservedGeneration == resource.Generation {
				return nil
			}
		}
		return fmt.Errorf("conditions: %+v", resource.Status.Conditions)
	})
}

func (r managedResource) waitApplied() {
	r.t.Helper()
	r.waitFor("ResourcesApplied", "True", "ApplySucceeded")
}
