package maintenance_test

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

	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/maintenance"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/wallclock"
)

// TestWindowOfSleepingMachine looks again before the window: a timer until then would stand still while the machine sleeps, and fire after it.
func TestWindowOfSleepingMachine(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-sky", Name: "sun", CreationTimestamp: metav1.NewTime(now.Add(-time.Hour))}}
	shoot.Spec.Maintenance = &gardencorev1beta1.Maintenance{TimeWindow: &gardencorev1beta1.MaintenanceTimeWindow{Begin: "200000+0000", End: "210000+0000"}}
	shoot.Status.LastOperation = &gardencorev1beta1.LastOperation{Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStateSucceeded}
	garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(shoot).WithStatusSubresource(shoot).Build()
	r := &maintenance.Reconciler{Client: garden, Clock: clocktesting.NewFakePassiveClock(now), Recorder: events.NewFakeRecorder(8)}
	result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(shoot)})
	if err != nil || result.RequeueAfter <= 0 || result.RequeueAfter > wallclock.Look {
		t.Errorf("GCM-33 the next look is in %s, %v", result.RequeueAfter, err)
	}
}
