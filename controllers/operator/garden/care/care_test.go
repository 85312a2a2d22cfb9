package care_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/care"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// bench is a garden of which anything can fail.
type bench struct {
	*testing.T
	client     client.Client
	clock      *clocktesting.FakeClock
	reconciler *care.Reconciler

	failing map[string]error // components
	health  int              // status of /healthz
}

func newBench(t *testing.T, resources ...client.Object) *bench {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, clock: clocktesting.NewFakeClock(time.Unix(1e9, 0)), failing: map[string]error{}, health: http.StatusOK}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(b.health) }))
	t.Cleanup(server.Close)
	garden := &operatorv1alpha1.Garden{ObjectMeta: metav1.ObjectMeta{Name: "local"}}
	b.client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(append(resources, garden)...).WithStatusSubresource(garden).Build()
	b.reconciler = &care.Reconciler{
		Runtime: b.client, Virtual: host.Connected(&rest.Config{Host: server.URL}), Clock: b.clock, Period: time.Minute,
		Components: slices.Concat(b.components(host.Runtime), b.components(host.Virtual), b.components(host.Observability)),
	}
	return b
}

// components are one that serves, one that can fail, and one that is not there.
func (b *bench) components(group host.Group) []host.Component {
	name := string(group)
	return []host.Component{
		{Name: "other-" + name, Group: group, Serves: func(context.Context) error { return nil }},
		{Name: name, Group: group, Serves: func(context.Context) error { return b.failing[name] }},
		{Name: "no-" + name, Group: group, Absent: "nobody needs it"},
	}
}

// check reconciles and returns the condition.
func (b *bench) check(kind gardencorev1beta1.ConditionType) (gardencorev1beta1.Condition, time.Duration) {
	b.Helper()
	key := client.ObjectKey{Name: "local"}
	result, err := b.reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: key})
	if err != nil {
		b.Fatal(err)
	}
	garden := &operatorv1alpha1.Garden{}
	if err := b.client.Get(context.Background(), key, garden); err != nil {
		b.Fatal(err)
	}
	condition := conditions.Get(garden.Status.Conditions, kind)
	if condition == nil {
		b.Fatalf("no condition %s: %v", kind, garden.Status.Conditions)
	}
	return *condition, result.RequeueAfter
}

func (b *bench) want(kind gardencorev1beta1.ConditionType, status gardencorev1beta1.ConditionStatus, reason, message string) {
	b.Helper()
	got, again := b.check(kind)
	if got.Status != status || got.Reason != reason || !strings.Contains(got.Message, message) {
		b.Errorf("condition %s is %s, %s: %s", kind, got.Status, got.Reason, got.Message)
	}
	if healthy := status == gardencorev1beta1.ConditionTrue; healthy != (again == time.Minute) {
		b.Errorf("next check of %s in %s", got.Status, again)
	}
}

func resource(name, class string, applied gardencorev1beta1.ConditionStatus) *resourcesv1alpha1.ManagedResource {
	out := &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: name}}
	if class != "" {
		out.Spec.Class = ptr.To(class)
	}
	out.Status.Conditions = []gardencorev1beta1.Condition{
		{Type: "ResourcesApplied", Status: applied, Reason: "ApplyFailed", Message: "forbidden"}, {Type: "ResourcesHealthy", Status: "True"},
	}
	return out
}

func TestHealthy(t *testing.T) {
	b := newBench(t, resource("runtime", "seed", "True"), resource("virtual", "", "True"))
	b.want(operatorv1alpha1.RuntimeComponentsHealthy, "True", "RuntimeComponentsRunning", "healthy")
	b.want(operatorv1alpha1.VirtualComponentsHealthy, "True", "VirtualComponentsRunning", "healthy")
	b.want(operatorv1alpha1.VirtualGardenAPIServerAvailable, "True", "HealthzRequestSucceeded", "/healthz")
	b.want(operatorv1alpha1.ObservabilityComponentsHealthy, "True", "ObservabilityComponentsRunning", "healthy")
	t.Run("OPR-22 a garden without observability says so", func(t *testing.T) {
		b.reconciler.Components = b.components(host.Observability)[2:]
		b.want(operatorv1alpha1.ObservabilityComponentsHealthy, "True", "ObservabilityComponentsNotDeployed", "deployed: no-observability (nobody needs it)")
		b.reconciler.Components = nil
		b.want(operatorv1alpha1.ObservabilityComponentsHealthy, "True", "ObservabilityComponentsNotDeployed", "none can fail")
	})
}

func TestConflict(t *testing.T) {
	b := newBench(t)
	writer := b.client.(client.WithWatch)
	b.reconciler.Runtime = interceptor.NewClient(writer, interceptor.Funcs{
		SubResourcePatch: func(context.Context, client.Client, string, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
			return apierrors.NewConflict(operatorv1alpha1.Resource("gardens"), "local", errors.New("changed"))
		},
	})
	result, err := b.reconciler.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "local"}})
	if err != nil || result.RequeueAfter <= 0 || result.RequeueAfter >= b.reconciler.Period {
		t.Errorf("OPR-19 another writer of the Garden is no error, and care tries again soon: %v, %v", result, err)
	}
}

func TestUnhealthy(t *testing.T) {
	t.Run("OPR-19 a resource of the runtime cluster is not applied", func(t *testing.T) {
		b := newBench(t, resource("system", "seed", "False"), resource("virtual", "", "True"))
		b.want(operatorv1alpha1.RuntimeComponentsHealthy, "False", "ApplyFailed", `"system": forbidden`)
		if virtual, _ := b.check(operatorv1alpha1.VirtualComponentsHealthy); virtual.Status != "True" {
			t.Errorf("virtual: %v", virtual)
		}
	})
	t.Run("OPR-19 a resource without conditions counts as broken", func(t *testing.T) {
		fresh := resource("fresh", "seed", "True")
		fresh.Status.Conditions = nil
		newBench(t, fresh).want(operatorv1alpha1.RuntimeComponentsHealthy, "False", "MissingManagedResourceCondition", "fresh")
	})
	t.Run("OPR-19 resources of extensions and of other namespaces do not count", func(t *testing.T) {
		extension, elsewhere := resource("extension", "seed", "False"), resource("elsewhere", "seed", "False")
		extension.Labels = map[string]string{"controllerinstallation-name": "x"}
		elsewhere.Namespace = "shoot--a--b"
		newBench(t, extension, elsewhere).want(operatorv1alpha1.RuntimeComponentsHealthy, "True", "RuntimeComponentsRunning", "")
	})
	t.Run("OPR-20 a resource of the virtual cluster is not applied", func(t *testing.T) {
		b := newBench(t, resource("access", "", "False"))
		b.want(operatorv1alpha1.VirtualComponentsHealthy, "False", "ApplyFailed", `"access": forbidden`)
	})
	for kind, name := range map[gardencorev1beta1.ConditionType]string{
		operatorv1alpha1.RuntimeComponentsHealthy: "OPR-19 runtime", operatorv1alpha1.VirtualComponentsHealthy: "OPR-20 virtual", operatorv1alpha1.ObservabilityComponentsHealthy: "OPR-22 observability",
	} {
		t.Run(name+" component does not serve, and recovers", func(t *testing.T) {
			b := newBench(t)
			_, component, _ := strings.Cut(name, " ")
			b.failing[component] = errors.New("is stopped")
			b.want(kind, "False", "ComponentUnhealthy", `"`+component+`" does not serve: is stopped`)
			delete(b.failing, component)
			if got, _ := b.check(kind); got.Status != "True" {
				t.Errorf("afterwards: %v", got)
			}
		})
	}
	t.Run("OPR-20 a component that serves complains", func(t *testing.T) {
		b := newBench(t)
		at := slices.IndexFunc(b.reconciler.Components, func(c host.Component) bool { return c.Name == "virtual" })
		b.reconciler.Components[at].Complains = func(context.Context) error { return errors.New("it is not backed up") }
		b.want(operatorv1alpha1.VirtualComponentsHealthy, "False", "ComponentUnhealthy", `"virtual" serves, but: it is not backed up`)
	})
	t.Run("OPR-21 the API server answers with an error, or not at all", func(t *testing.T) {
		b := newBench(t)
		b.health = http.StatusInternalServerError
		b.want(operatorv1alpha1.VirtualGardenAPIServerAvailable, "False", "VirtualGardenAPIServerDown", "status 500")
		b.reconciler.Virtual = host.Connected(&rest.Config{Host: "http://127.0.0.1:1"})
		b.want(operatorv1alpha1.VirtualGardenAPIServerAvailable, "False", "VirtualGardenAPIServerDown", "does not answer")
	})
}

func TestThreshold(t *testing.T) {
	t.Run("OPR-23 a failing condition is Progressing until the threshold has passed", func(t *testing.T) {
		b := newBench(t)
		b.reconciler.Thresholds = map[gardencorev1beta1.ConditionType]time.Duration{operatorv1alpha1.VirtualComponentsHealthy: time.Minute}
		b.want(operatorv1alpha1.VirtualComponentsHealthy, "True", "VirtualComponentsRunning", "")
		b.failing["virtual"], b.failing["runtime"] = errors.New("broken"), errors.New("broken")
		b.want(operatorv1alpha1.VirtualComponentsHealthy, "Progressing", "ComponentUnhealthy", "broken")
		b.clock.Step(59 * time.Second)
		b.want(operatorv1alpha1.VirtualComponentsHealthy, "Progressing", "ComponentUnhealthy", "broken")
		b.clock.Step(time.Second)
		b.want(operatorv1alpha1.VirtualComponentsHealthy, "False", "ComponentUnhealthy", "broken")
		if runtime, _ := b.check(operatorv1alpha1.RuntimeComponentsHealthy); runtime.Status != "False" {
			t.Errorf("a condition without threshold: %v", runtime)
		}
		b.failing = map[string]error{}
		b.want(operatorv1alpha1.VirtualComponentsHealthy, "True", "VirtualComponentsRunning", "")
	})
}

func TestReconciled(t *testing.T) {
	b := newBench(t)
	for _, tc := range []struct {
		state  gardencorev1beta1.LastOperationState
		status gardencorev1beta1.ConditionStatus
	}{
		{"Processing", "Progressing"}, {"Succeeded", "True"}, {"Error", "False"}, {"Pending", "Progressing"}, {"Succeeded", "True"},
	} {
		t.Run("OPR-18 the condition Reconciled of a Garden whose last operation is "+string(tc.state), func(t *testing.T) {
			garden := &operatorv1alpha1.Garden{}
			if err := b.client.Get(t.Context(), client.ObjectKey{Name: "local"}, garden); err != nil {
				t.Fatal(err)
			}
			garden.Status.LastOperation = &gardencorev1beta1.LastOperation{State: tc.state}
			if err := b.client.Status().Update(t.Context(), garden); err != nil {
				t.Fatal(err)
			}
			if got, again := b.check(operatorv1alpha1.GardenReconciled); got.Status != tc.status || again != time.Minute {
				t.Errorf("%s, %s: %s; next check in %s", got.Status, got.Reason, got.Message, again)
			}
		})
	}
}

func TestDeletion(t *testing.T) {
	b := newBench(t)
	b.want(operatorv1alpha1.VirtualComponentsHealthy, "True", "VirtualComponentsRunning", "")
	garden := &operatorv1alpha1.Garden{}
	if err := b.client.Get(t.Context(), client.ObjectKey{Name: "local"}, garden); err != nil {
		t.Fatal(err)
	}
	garden.Finalizers = []string{"gardener.cloud/operator"}
	if err := errors.Join(b.client.Update(t.Context(), garden), b.client.Delete(t.Context(), garden)); err != nil {
		t.Fatal(err)
	}
	b.failing["virtual"] = errors.New("broken")
	last := func(state gardencorev1beta1.LastOperationState) {
		t.Helper()
		if err := b.client.Get(t.Context(), client.ObjectKey{Name: "local"}, garden); err != nil {
			t.Fatal(err)
		}
		garden.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeDelete, State: state}
		if err := b.client.Status().Update(t.Context(), garden); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("OPR-39 conditions stay while a garden is torn down", func(t *testing.T) {
		last("Processing")
		if got, _ := b.check(operatorv1alpha1.VirtualComponentsHealthy); got.Status != "True" {
			t.Errorf("%v", got)
		}
	})
	t.Run("OPR-39 OPR-20 a garden whose deletion waits is looked after", func(*testing.T) {
		last("Pending")
		b.want(operatorv1alpha1.VirtualComponentsHealthy, "False", "ComponentUnhealthy", "broken")
	})
}
