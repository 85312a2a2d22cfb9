package lifecycle

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// failing is a Shoot whose operations fail before they change anything: its namespace does not exist.
type failing struct {
	t      *testing.T
	r      *Reconciler
	clock  *clocktesting.FakePassiveClock
	garden client.Client
}

func newFailing(t *testing.T) *failing {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "earth"}, Status: gardencorev1beta1.SeedStatus{
		Conditions:    []gardencorev1beta1.Condition{{Type: gardencorev1beta1.SeedGardenletReady, Status: gardencorev1beta1.ConditionTrue}},
		LastOperation: &gardencorev1beta1.LastOperation{State: gardencorev1beta1.LastOperationStateSucceeded},
	}}
	shoot := &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: "sun", Namespace: "garden-sky", Generation: 1}, Spec: gardencorev1beta1.ShootSpec{SeedName: ptr.To("earth")},
	}
	f := &failing{t: t, clock: clocktesting.NewFakePassiveClock(now)}
	f.garden = fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(shoot).WithObjects(seed, shoot).Build()
	settings := Settings{SeedName: "earth", Gardener: gardencorev1beta1.Gardener{Version: version}, RetryDuration: time.Hour}
	f.r = &Reconciler{
		Clusters: flow.Clusters{Garden: f.garden, GardenReader: f.garden}, Clock: f.clock, Recorder: events.NewFakeRecorder(100), Settings: settings.WithDefaults(),
		GardenIdentity: func(context.Context) (string, error) { return "garden", nil },
	}
	return f
}

// run lets the controller look at the Shoot after some time, and returns its status. retried says whether the controller asks to look again.
func (f *failing) run(after time.Duration) (status gardencorev1beta1.ShootStatus, retried bool) {
	f.t.Helper()
	f.clock.SetTime(f.clock.Now().Add(after))
	result, err := f.r.Reconcile(f.t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "garden-sky", Name: "sun"}})
	return f.shoot().Status, err != nil || result.RequeueAfter > 0
}

func (f *failing) shoot() *gardencorev1beta1.Shoot {
	f.t.Helper()
	shoot := &gardencorev1beta1.Shoot{}
	if err := f.garden.Get(f.t.Context(), client.ObjectKey{Namespace: "garden-sky", Name: "sun"}, shoot); err != nil {
		f.t.Fatal(err)
	}
	return shoot
}

func (f *failing) change(change func(*gardencorev1beta1.Shoot)) {
	f.t.Helper()
	shoot := f.shoot()
	change(shoot)
	if err := f.garden.Update(f.t.Context(), shoot); err != nil {
		f.t.Fatal(err)
	}
}

func TestRetries(t *testing.T) {
	f := newFailing(t)
	expect := func(status gardencorev1beta1.ShootStatus, state gardencorev1beta1.LastOperationState, since time.Time) {
		t.Helper()
		if last := status.LastOperation; last == nil || last.State != state || last.Type != gardencorev1beta1.LastOperationTypeCreate || len(status.LastErrors) != 1 {
			t.Fatalf("last operation %+v, errors %+v", last, status.LastErrors)
		}
		if got := status.RetryCycleStartTime; got == nil || !got.Time.Equal(since) {
			t.Errorf("it is tried since %s, want %s", got, since)
		}
	}
	status, retried := f.run(0)
	if expect(status, gardencorev1beta1.LastOperationStateError, now); !retried {
		t.Error("GLT-36 an error is not retried")
	}
	status, retried = f.run(59 * time.Minute)
	if expect(status, gardencorev1beta1.LastOperationStateError, now); !retried {
		t.Error("GLT-36 an error is not retried within the retry duration")
	}
	status, retried = f.run(time.Minute)
	if expect(status, gardencorev1beta1.LastOperationStateFailed, now); retried {
		t.Error("GLT-36 what has failed for good is retried")
	}
	failed := status.LastOperation.LastUpdateTime
	if status, _ = f.run(time.Minute); !status.LastOperation.LastUpdateTime.Equal(&failed) {
		t.Errorf("GLT-36 it has been tried again at %s", status.LastOperation.LastUpdateTime)
	}
	t.Run("GLT-36 GLT-38 a new generation, as a retry makes it, begins another cycle", func(t *testing.T) {
		f.change(func(s *gardencorev1beta1.Shoot) { s.Generation++ })
		status, retried := f.run(time.Minute)
		if expect(status, gardencorev1beta1.LastOperationStateError, f.clock.Now()); !retried || status.ObservedGeneration != 2 {
			t.Errorf("generation %d was observed, it is retried: %t", status.ObservedGeneration, retried)
		}
	})
	t.Run("GLT-36 another version of Gardener does, too", func(t *testing.T) {
		if status, _ := f.run(time.Hour); status.LastOperation.State != gardencorev1beta1.LastOperationStateFailed {
			t.Fatalf("last operation %+v", status.LastOperation)
		}
		f.r.Settings.Gardener.Version = "v2"
		status, retried := f.run(time.Minute)
		if expect(status, gardencorev1beta1.LastOperationStateError, f.clock.Now()); !retried || status.Gardener.Version != "v2" {
			t.Errorf("Gardener is %s, it is retried: %t", status.Gardener.Version, retried)
		}
	})
}
