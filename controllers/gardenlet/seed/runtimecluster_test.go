package seed

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/runtimecluster"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

// bench is a cluster that becomes a seed. What is deployed serves at once.
type bench struct {
	*testing.T
	client.Client
	garden     client.Client
	reconciler *Reconciler
}

func newBench(t *testing.T) *bench {
	t.Helper()
	definitions, err := crds.Operator()
	if err != nil {
		t.Fatal(err)
	}
	env, err := testenv.Start(testenv.Options{CRDs: definitions})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(env.Stop)
	inSeed, inGarden := runtime.NewScheme(), runtime.NewScheme()
	if err := install.AddSeed(inSeed); err != nil {
		t.Fatal(err)
	}
	if err := install.AddGarden(inGarden); err != nil {
		t.Fatal(err)
	}
	direct, err := client.NewWithWatch(env.Config, client.Options{Scheme: inSeed})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, Client: interceptor.NewClient(direct, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			err := c.Get(ctx, key, object, options...)
			if deployment, ok := object.(*appsv1.Deployment); ok {
				deployment.Status = appsv1.DeploymentStatus{
					ObservedGeneration: deployment.Generation, Replicas: 1, UpdatedReplicas: 1, AvailableReplicas: 1, ReadyReplicas: 1,
					Conditions: []appsv1.DeploymentCondition{
						{Type: appsv1.DeploymentAvailable, Status: "True"}, {Type: appsv1.DeploymentProgressing, Status: "True", Reason: "NewReplicaSetAvailable"},
					},
				}
			}
			return err
		},
	})}
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "earth", UID: "1", Finalizers: []string{"somebody"}}}
	b.garden = fake.NewClientBuilder().WithScheme(inGarden).WithObjects(seed).WithStatusSubresource(seed).Build()
	b.reconciler = &Reconciler{
		Garden: b.garden, SeedClient: b.Client, Discovery: discovery.NewDiscoveryClientForConfigOrDie(env.Config), Recorder: events.NewFakeRecorder(100),
		Clock: clock.RealClock{}, SeedName: seed.Name, ResourceManager: true, SyncPeriod: time.Hour, Image: "gardenlet:v1",
		crds: &crdInstaller{client: b.Client}, runtime: runtimecluster.NewDecision(b.Client),
	}
	return b
}

func (b *bench) reconcile() {
	b.Helper()
	if _, err := b.reconciler.Reconcile(b.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "earth"}}); err != nil {
		b.Fatal(err)
	}
}

// image is that of the resource manager; empty if there is none.
func (b *bench) image() string {
	b.Helper()
	deployment := &appsv1.Deployment{}
	err := b.Get(b.Context(), client.ObjectKey{Namespace: "garden", Name: "gardener-resource-manager"}, deployment)
	if apierrors.IsNotFound(err) {
		return ""
	}
	if err != nil {
		b.Fatal(err)
	}
	return deployment.Spec.Template.Spec.Containers[0].Image
}

// owners are the managers of the fields of the resource manager.
func (b *bench) owners() (names []string) {
	b.Helper()
	deployment := &appsv1.Deployment{}
	if err := b.Get(b.Context(), client.ObjectKey{Namespace: "garden", Name: "gardener-resource-manager"}, deployment); err != nil {
		b.Fatal(err)
	}
	for _, fields := range deployment.ManagedFields {
		names = append(names, fields.Manager)
	}
	return names
}

// operator deploys the resource manager as the operator of a Garden.
func (b *bench) operator() {
	b.Helper()
	component := deployed.Inputs{Client: b.Client, Namespace: "garden", Image: "operator:v2"}.ResourceManager()
	if err := component.Deploy(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// alter changes a definition as an operator of another version does.
func (b *bench) alter(definition string) {
	b.Helper()
	raw := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"checksum/definition":"other"}},"spec":{"names":{"shortNames":["other"]}}}`))
	if err := b.Patch(b.Context(), b.definition(definition), raw); err != nil {
		b.Fatal(err)
	}
}

// told writes the version of the operator into the status of the Garden.
func (b *bench) told(version string) {
	b.Helper()
	raw := client.RawPatch("application/merge-patch+json", []byte(`{"status":{"gardener":{"id":"o","name":"gardener-operator","version":"`+version+`"}}}`))
	if err := b.Status().Patch(b.Context(), aGarden(), raw); err != nil {
		b.Fatal(err)
	}
}

// bootstrapped is the condition of the Seed.
func (b *bench) bootstrapped() *gardencorev1beta1.Condition {
	b.Helper()
	seed := &gardencorev1beta1.Seed{}
	if err := b.garden.Get(b.Context(), client.ObjectKey{Name: "earth"}, seed); err != nil {
		b.Fatal(err)
	}
	for i := range seed.Status.Conditions {
		if seed.Status.Conditions[i].Type == gardencorev1beta1.SeedBootstrapped {
			return &seed.Status.Conditions[i]
		}
	}
	return nil
}

// handled gives the Garden the finalizer of its operator, or takes it away.
func (b *bench) handled(yes bool) {
	b.Helper()
	patch := `{"metadata":{"finalizers":null}}`
	if yes {
		patch = `{"metadata":{"finalizers":["gardener.cloud/operator"]}}`
	}
	if err := b.Patch(b.Context(), aGarden(), client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) definition(name string) *apiextensionsv1.CustomResourceDefinition {
	b.Helper()
	out := &apiextensionsv1.CustomResourceDefinition{}
	if err := b.Get(b.Context(), client.ObjectKey{Name: name}, out); err != nil {
		b.Fatal(err)
	}
	return out
}

func aGarden() *operatorv1alpha1.Garden {
	garden := &operatorv1alpha1.Garden{ObjectMeta: metav1.ObjectMeta{Name: "sky", Finalizers: []string{"gardener.cloud/operator"}}}
	garden.Spec.RuntimeCluster.Ingress.Domains = []operatorv1alpha1.DNSDomain{{Name: "ingress.example.org"}}
	garden.Spec.RuntimeCluster.Ingress.Controller.Kind = "nginx"
	garden.Spec.RuntimeCluster.Networking = operatorv1alpha1.RuntimeNetworking{Pods: []string{"10.1.0.0/16"}, Services: []string{"10.2.0.0/16"}}
	virtual := &garden.Spec.VirtualCluster
	virtual.DNS.Domains = []operatorv1alpha1.DNSDomain{{Name: "garden.example.org"}}
	virtual.Gardener.ClusterIdentity, virtual.Kubernetes.Version = "test", "1.34.1"
	virtual.Networking.Services = []string{"100.64.0.0/16"}
	virtual.Maintenance.TimeWindow.Begin, virtual.Maintenance.TimeWindow.End = "220000+0100", "230000+0100"
	operatorv1alpha1.SetDefaultsGarden(garden)
	return garden
}

func TestRuntimeCluster(t *testing.T) {
	b := newBench(t)
	b.reconcile()
	if got := b.image(); got != "gardenlet:v1" {
		t.Fatalf("without a Garden, the resource manager is %q", got)
	}
	if err := b.Create(t.Context(), aGarden()); err != nil {
		t.Fatal(err)
	}
	t.Run("GLT-15 OPR-28 a Garden that comes later owns the resource manager", func(t *testing.T) {
		b.reconcile()
		if got := b.image(); got != "gardenlet:v1" {
			t.Errorf("before the operator acts, the resource manager is %q", got)
		}
		b.operator()
		for range 2 {
			b.reconcile()
		}
		if got := b.image(); got != "operator:v2" {
			t.Errorf("the gardenlet has replaced it by %q", got)
		}
		if got := b.owners(); !slices.Equal(got, []string{"gardener-operator-host"}) {
			t.Errorf("owners of its fields are %q", got)
		}
	})
	t.Run("GLT-15 definitions of the operator are not changed", func(t *testing.T) {
		for name, want := range map[string]bool{
			"etcds.druid.gardener.cloud": true, "managedresources.resources.gardener.cloud": true, "workers.extensions.gardener.cloud": false,
		} {
			b.alter(name)
			if b.reconcile(); strings.Contains(strings.Join(b.definition(name).Spec.Names.ShortNames, " "), "other") != want {
				t.Errorf("%s: %v", name, b.definition(name).Spec.Names.ShortNames)
			}
			if err := InstallCRDs(t.Context(), b.Client); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(strings.Join(b.definition(name).Spec.Names.ShortNames, " "), "other") != want {
				t.Errorf("after the start, %s: %v", name, b.definition(name).Spec.Names.ShortNames)
			}
		}
	})
	t.Run("OPR-28 a gardenlet of another version than the operator changes nothing of the seed, and says so", func(t *testing.T) {
		b.reconciler.Identity.Version = "v1"
		b.told("v2")
		b.alter("workers.extensions.gardener.cloud")
		altered := func() bool {
			return strings.Contains(strings.Join(b.definition("workers.extensions.gardener.cloud").Spec.Names.ShortNames, " "), "other")
		}
		if _, err := b.reconciler.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "earth"}}); err == nil || !altered() {
			t.Errorf("the seed is reconciled: %v, altered %t", err, altered())
		}
		if c := b.bootstrapped(); c == nil || c.Status != "False" || c.Reason != "VersionMismatch" || !strings.Contains(c.Message, "operator has version v2, and this gardenlet has version v1") {
			t.Errorf("the condition is %+v", c)
		}
		b.reconciler.RuntimeCluster = true // it is a part of the operator's process
		b.reconcile()
		b.reconciler.RuntimeCluster = false
		b.alter("workers.extensions.gardener.cloud")
		b.told("v1")
		if b.reconcile(); altered() {
			t.Error("a gardenlet of the same version does not repair the seed")
		}
		if c := b.bootstrapped(); c == nil || c.Status != "True" {
			t.Errorf("the condition is %+v", c)
		}
	})
	t.Run("GLT-14 a gardenlet in the process of the operator repairs definitions beside its Garden", func(t *testing.T) {
		b.reconciler.RuntimeCluster = true
		defer func() { b.reconciler.RuntimeCluster = false }()
		b.reconcile()
		for _, name := range []string{"etcds.druid.gardener.cloud", "managedresources.resources.gardener.cloud"} {
			if names := b.definition(name).Spec.Names.ShortNames; strings.Contains(strings.Join(names, " "), "other") {
				t.Errorf("%s: %v", name, names)
			}
			b.alter(name) // for what follows
		}
	})
	t.Run("GLT-15 OPR-28 what is missing of the resource manager is created, if its operator is gone", func(t *testing.T) {
		if err := b.reconciler.parts().resourceManager.destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if b.reconcile(); b.image() != "gardenlet:v1" {
			t.Errorf("the resource manager is %q", b.image())
		}
		if b.operator(); b.image() != "operator:v2" {
			t.Errorf("after the return of the operator, the resource manager is %q", b.image())
		}
	})
	t.Run("GLT-15 a Garden that no operator handles owns nothing", func(t *testing.T) {
		b.handled(false)
		if b.reconcile(); b.image() != "gardenlet:v1" {
			t.Errorf("the resource manager is %q", b.image())
		}
		b.handled(true)
		b.operator()
	})
	t.Run("GLT-15 OPR-28 when the Garden has gone, the gardenlet deploys it again", func(t *testing.T) {
		b.handled(false)
		if err := b.Delete(t.Context(), aGarden()); err != nil {
			t.Fatal(err)
		}
		if b.reconcile(); b.image() != "gardenlet:v1" || !slices.Equal(b.owners(), []string{"gardenlet"}) {
			t.Errorf("the resource manager is %q of %q", b.image(), b.owners())
		}
		if names := b.definition("etcds.druid.gardener.cloud").Spec.Names.ShortNames; strings.Contains(strings.Join(names, " "), "other") {
			t.Errorf("the definition of Etcds is still that of the operator: %v", names)
		}
	})
	t.Run("GLT-15 OPR-28 a Garden that comes during a deletion owns the resource manager", func(t *testing.T) {
		if err := b.Create(t.Context(), aGarden()); err != nil {
			t.Fatal(err)
		}
		if err := b.reconciler.parts().resourceManager.destroyOwn(t.Context()); err == nil || !strings.Contains(err.Error(), `Garden "sky"`) {
			t.Error(err)
		}
		if b.image() != "gardenlet:v1" {
			t.Errorf("the resource manager is %q", b.image())
		}
	})
	t.Run("GLT-15 OPR-28 the deletion of the seed leaves what belongs to the operator", func(t *testing.T) {
		b.operator()
		if err := b.garden.Delete(t.Context(), &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "earth"}}); err != nil {
			t.Fatal(err)
		}
		b.reconcile()
		seed := &gardencorev1beta1.Seed{}
		if err := b.garden.Get(t.Context(), client.ObjectKey{Name: "earth"}, seed); err != nil || len(seed.Finalizers) != 1 {
			t.Fatalf("finalizers %v, %v, last operation %+v", seed.Finalizers, err, seed.Status.LastOperation)
		}
		for _, object := range []client.Object{
			&corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "gardener-resource-manager"}},
			&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "gardener-resource-manager"}},
			&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "gardener-system-critical"}},
		} {
			if err := b.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
				t.Error(err)
			}
		}
		if b.image() != "operator:v2" {
			t.Errorf("the resource manager is %q", b.image())
		}
		for _, object := range []client.Object{
			&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "gardener-seed-admission-controller"}},
			&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "gardener-system-900"}},
		} {
			if err := b.Get(t.Context(), client.ObjectKeyFromObject(object), object); !apierrors.IsNotFound(err) {
				t.Errorf("%T %q of the gardenlet still exists (%v)", object, object.GetName(), err)
			}
		}
	})
}
