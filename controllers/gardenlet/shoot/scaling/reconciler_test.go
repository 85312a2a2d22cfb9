package scaling

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	vpav1 "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	autoscalingv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/autoscaling/v1alpha1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

const namespace = "shoot--p--s"

// world is a shoot with one etcd and its Hvpa.
type world struct {
	t     *testing.T
	r     *Reconciler
	clock *clocktesting.FakePassiveClock
}

func newWorld(t *testing.T, purpose gardencorev1beta1.ShootPurpose, changes ...func(*gardencorev1beta1.Shoot)) *world {
	gardenScheme, seedScheme := runtime.NewScheme(), runtime.NewScheme()
	if err := install.AddGarden(gardenScheme); err != nil {
		t.Fatal(err)
	}
	if err := install.AddSeed(seedScheme); err != nil {
		t.Fatal(err)
	}
	shoot := &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"},
		Spec:       gardencorev1beta1.ShootSpec{SeedName: ptr.To("seed")},
		Status: gardencorev1beta1.ShootStatus{TechnicalID: namespace, SeedName: ptr.To("seed"), LastOperation: &gardencorev1beta1.LastOperation{
			Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStateSucceeded,
		}},
	}
	for _, change := range changes {
		change(shoot)
	}
	hvpa := hvpaOf(purpose)
	hvpa.UID = "hvpa"
	seed := fake.NewClientBuilder().WithScheme(seedScheme).WithStatusSubresource(&autoscalingv1alpha1.Hvpa{}).WithObjects(
		hvpa, etcd.Object(etcd.Values{Namespace: namespace, Role: etcd.Main, Replicas: 1, Requests: requests("100m", "1Gi")}),
	).Build()
	w := &world{t: t, clock: clocktesting.NewFakePassiveClock(noon)}
	w.r = &Reconciler{
		Garden: fake.NewClientBuilder().WithScheme(gardenScheme).WithObjects(shoot).Build(), Seed: seed, Clock: w.clock, SeedName: "seed", Period: time.Second,
	}
	w.taken()
	return w
}

func (w *world) get(object client.Object) {
	w.t.Helper()
	if err := w.r.Seed.Get(w.t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) etcd() *druidv1alpha1.Etcd {
	out := &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "etcd-main"}}
	w.get(out)
	return out
}

func (w *world) hvpa() *autoscalingv1alpha1.Hvpa {
	out := &autoscalingv1alpha1.Hvpa{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "etcd-main"}}
	w.get(out)
	return out
}

func (w *world) autoscaler() *vpav1.VerticalPodAutoscaler {
	out := &vpav1.VerticalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "etcd-main"}}
	w.get(out)
	return out
}

// taken pretends that the druid has applied the etcd.
func (w *world) taken() {
	w.t.Helper()
	found := w.etcd()
	found.Annotations = nil
	if err := w.r.Seed.Update(w.t.Context(), found); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) look(at time.Time) {
	w.t.Helper()
	w.clock.SetTime(at)
	if _, err := w.r.Reconcile(w.t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "garden-p", Name: "s"}}); err != nil {
		w.t.Fatal(err)
	}
}

// recommend does what a recommender does.
func (w *world) recommend(target corev1.ResourceList) {
	w.t.Helper()
	found := w.autoscaler()
	found.Status.Recommendation = &vpav1.RecommendedPodResources{ContainerRecommendations: []vpav1.RecommendedContainerResources{{ContainerName: "etcd", Target: target}}}
	if err := w.r.Seed.Update(w.t.Context(), found); err != nil {
		w.t.Fatal(err)
	}
}

// expect checks the requests of the etcd, and whether the druid is to apply them.
func (w *world) expect(want corev1.ResourceList, applied bool) {
	w.t.Helper()
	found := w.etcd()
	if got := found.Spec.Etcd.Resources.Requests; !equal(got, want) || (found.Annotations["gardener.cloud/operation"] == "reconcile") != applied {
		w.t.Errorf("requests are %v, want %v; annotations are %v", got, want, found.Annotations)
	}
}

func TestReconciler(t *testing.T) {
	const evaluation, production = gardencorev1beta1.ShootPurposeEvaluation, gardencorev1beta1.ShootPurposeProduction
	t.Run("GLT-41 an autoscaler that only recommends belongs to the etcd", func(t *testing.T) {
		w := newWorld(t, evaluation)
		w.look(noon)
		got := w.autoscaler()
		if *got.Spec.UpdatePolicy.UpdateMode != vpav1.UpdateModeOff || got.Spec.TargetRef.Name != "etcd-main" || got.Spec.TargetRef.Kind != "StatefulSet" || !metav1.IsControlledBy(got, w.hvpa()) {
			t.Errorf("autoscaler %+v", got)
		}
		w.expect(requests("100m", "1Gi"), false)
		t.Run("and is not written again", func(t *testing.T) {
			w.look(noon)
			if again := w.autoscaler().ResourceVersion; again != got.ResourceVersion {
				t.Errorf("version %s follows %s", again, got.ResourceVersion)
			}
		})
		t.Run("until somebody lets it act by itself", func(t *testing.T) {
			got.Spec.UpdatePolicy.UpdateMode = ptr.To(vpav1.UpdateModeRecreate)
			if err := w.r.Seed.Update(t.Context(), got); err != nil {
				t.Fatal(err)
			}
			w.look(noon)
			if mode := *w.autoscaler().Spec.UpdatePolicy.UpdateMode; mode != vpav1.UpdateModeOff {
				t.Errorf("its mode is %s", mode)
			}
		})
	})
	t.Run("GLT-41 requests are raised at once, and lowered in the window", func(t *testing.T) {
		w := newWorld(t, evaluation)
		w.look(noon)
		w.recommend(requests("500m", "3Gi"))
		w.look(noon)
		w.expect(requests("500m", "3Gi"), true)
		if last := w.hvpa().Status.LastScaling; last == nil || !last.LastUpdated.Time.Equal(noon) || !equal(last.VpaStatus.ContainerResources[0].Target, requests("500m", "3Gi")) {
			t.Errorf("last scaling %+v", last)
		}
		w.taken()
		w.recommend(requests("50m", "200Mi"))
		w.look(noon.Add(time.Hour))
		w.expect(requests("500m", "3Gi"), false)
		if blocked := w.hvpa().Status.LastBlockedScaling; len(blocked) != 1 || blocked[0].Reason != "MaintenanceWindow" {
			t.Errorf("blocked %+v", blocked)
		}
		w.look(night)
		w.expect(requests("50m", "200Mi"), true)
		if blocked := w.hvpa().Status.LastBlockedScaling; len(blocked) > 0 {
			t.Errorf("blocked %+v", blocked)
		}
	})
	t.Run("GLT-41 those of production are never lowered", func(t *testing.T) {
		w := newWorld(t, production)
		w.look(night)
		w.recommend(requests("50m", "200Mi"))
		w.look(night)
		w.expect(requests("100m", "1Gi"), false)
		if blocked := w.hvpa().Status.LastBlockedScaling; len(blocked) != 1 || blocked[0].Reason != "UpdateMode" {
			t.Errorf("blocked %+v", blocked)
		}
	})
	for name, change := range map[string]func(*gardencorev1beta1.Shoot){
		"an operation is in progress": func(s *gardencorev1beta1.Shoot) {
			s.Status.LastOperation.State = gardencorev1beta1.LastOperationStateProcessing
		},
		"the shoot sleeps": func(s *gardencorev1beta1.Shoot) { s.Status.IsHibernated = true },
		"the shoot has left": func(s *gardencorev1beta1.Shoot) {
			s.Status.LastOperation.Type = gardencorev1beta1.LastOperationTypeMigrate
		},
		"another seed has the shoot": func(s *gardencorev1beta1.Shoot) { s.Status.SeedName = ptr.To("other") },
	} {
		t.Run("GLT-41 nothing is scaled while "+name, func(t *testing.T) {
			w := newWorld(t, evaluation, change)
			if err := w.r.Seed.Create(t.Context(), &vpav1.VerticalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "etcd-main"}}); err != nil {
				t.Fatal(err)
			}
			w.recommend(requests("500m", "3Gi"))
			w.look(noon)
			w.expect(requests("100m", "1Gi"), false)
		})
	}
	t.Run("GLT-41 while the druid applies an etcd its requests stay", func(t *testing.T) {
		w := newWorld(t, evaluation)
		w.look(noon)
		w.recommend(requests("500m", "3Gi"))
		w.look(noon)
		w.recommend(requests("2", "8Gi"))
		w.look(noon.Add(time.Hour))
		w.expect(requests("500m", "3Gi"), true)
		w.taken()
		w.look(noon.Add(time.Hour))
		w.expect(requests("2", "8Gi"), true)
	})
}
