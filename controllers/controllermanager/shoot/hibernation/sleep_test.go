package hibernation_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/hibernation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/wallclock"
)

// TestScheduleOfSleepingMachine looks again before the trigger: a timer until then would stand still while the machine sleeps.
func TestScheduleOfSleepingMachine(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "sun", CreationTimestamp: metav1.NewTime(now.Add(-time.Hour))}}
	shoot.Spec.Hibernation = &gardencorev1beta1.Hibernation{Schedules: []gardencorev1beta1.HibernationSchedule{{Start: new("0 20 * * *")}}}
	garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(shoot).WithStatusSubresource(shoot).Build()
	clock := clocktesting.NewFakePassiveClock(now)
	r := &hibernation.Reconciler{Client: garden, Clock: clock, Recorder: events.NewFakeRecorder(8), Deadline: 24 * time.Hour}
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(shoot)}
	result, err := r.Reconcile(t.Context(), request)
	if err != nil || result.RequeueAfter <= 0 || result.RequeueAfter > wallclock.Look {
		t.Fatalf("GCM-34 the next look is in %s, %v", result.RequeueAfter, err)
	}
	clock.SetTime(now.Add(8*time.Hour + result.RequeueAfter)) // the machine has slept for eight hours
	if _, err := r.Reconcile(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if err := garden.Get(t.Context(), request.NamespacedName, shoot); err != nil || shoot.Spec.Hibernation.Enabled == nil || !*shoot.Spec.Hibernation.Enabled {
		t.Errorf("GCM-34 the shoot does not hibernate: %+v, %v", shoot.Spec.Hibernation, err)
	}
}
