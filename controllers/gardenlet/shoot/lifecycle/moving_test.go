package lifecycle

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// TestMoveWaitsForSeeds moves a Shoot from the seed earth to the seed mars.
func TestMoveWaitsForSeeds(t *testing.T) {
	ready := gardencorev1beta1.SeedStatus{
		Conditions:    []gardencorev1beta1.Condition{{Type: gardencorev1beta1.SeedGardenletReady, Status: gardencorev1beta1.ConditionTrue}},
		LastOperation: &gardencorev1beta1.LastOperation{State: gardencorev1beta1.LastOperationStateSucceeded},
	}
	broken, unknown := *ready.DeepCopy(), *ready.DeepCopy()
	broken.LastOperation.State = gardencorev1beta1.LastOperationStateError
	unknown.Conditions[0].Status = gardencorev1beta1.ConditionUnknown
	bucketless := *ready.DeepCopy()
	bucketless.Conditions = append(bucketless.Conditions, gardencorev1beta1.Condition{Type: gardencorev1beta1.SeedBackupBucketsReady, Status: gardencorev1beta1.ConditionFalse})
	for name, tc := range map[string]struct {
		mars  *gardencorev1beta1.SeedStatus // nil if there is no such seed
		earth gardencorev1beta1.SeedStatus
		begun bool
	}{
		"MIG-2 a move begins when both seeds are ready":            {&ready, ready, true},
		"MIG-2 it waits for a seed that nobody has reconciled yet": {&gardencorev1beta1.SeedStatus{}, ready, false},
		"MIG-2 it waits for a seed whose gardenlet is silent":      {&unknown, ready, false},
		"MIG-2 it waits for a seed with an error":                  {&broken, ready, false},
		"MIG-2 it waits for a seed whose bucket is not usable":     {&bucketless, ready, false},
		"MIG-2 it waits for the seed that it leaves":               {&ready, broken, false},
		"MIG-2 it waits for a seed that does not exist":            {nil, ready, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFailing(t)
			f.change(func(s *gardencorev1beta1.Shoot) { s.Spec.SeedName = ptr.To("mars") })
			shoot := f.shoot()
			shoot.Status = gardencorev1beta1.ShootStatus{
				SeedName: ptr.To("earth"), ObservedGeneration: 1, Gardener: gardencorev1beta1.Gardener{Version: version},
				LastOperation: &gardencorev1beta1.LastOperation{Type: "Create", State: gardencorev1beta1.LastOperationStateSucceeded, LastUpdateTime: metav1.NewTime(now)},
			}
			if err := f.garden.Status().Update(t.Context(), shoot); err != nil {
				t.Fatal(err)
			}
			f.setSeed("earth", tc.earth)
			if tc.mars != nil {
				f.setSeed("mars", *tc.mars)
			}
			status, again := f.run(time.Minute)
			if got := status.LastOperation.Type == gardencorev1beta1.LastOperationTypeMigrate; got != tc.begun || !again {
				t.Fatalf("last operation %+v, looked at again: %t", status.LastOperation, again)
			}
			if tc.begun {
				return
			}
			f.setSeed("earth", ready)
			f.setSeed("mars", ready)
			if status, _ := f.run(time.Minute); status.LastOperation.Type != gardencorev1beta1.LastOperationTypeMigrate {
				t.Errorf("last operation %+v of a move whose seeds are ready by now", status.LastOperation)
			}
		})
	}
	t.Run("MIG-2 a seed that is not ready is asked for often, and no error is shown", func(t *testing.T) {
		f := newFailing(t)
		f.change(func(s *gardencorev1beta1.Shoot) { s.Spec.SeedName = ptr.To("mars") })
		shoot := f.shoot()
		shoot.Status.SeedName = ptr.To("earth")
		if err := f.garden.Status().Update(t.Context(), shoot); err != nil {
			t.Fatal(err)
		}
		f.setSeed("mars", unknown)
		result, err := f.r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(shoot)})
		if err != nil || result.RequeueAfter <= 0 || result.RequeueAfter > time.Minute || len(f.shoot().Status.LastErrors) > 0 {
			t.Errorf("result %+v, %v, errors %v", result, err, f.shoot().Status.LastErrors)
		}
	})
}

// setSeed makes a seed with a status.
func (f *failing) setSeed(name string, status gardencorev1beta1.SeedStatus) {
	f.t.Helper()
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_ = f.garden.Delete(f.t.Context(), seed.DeepCopy())
	seed.Status = status
	if err := f.garden.Create(f.t.Context(), seed); err != nil {
		f.t.Fatal(err)
	}
}
