package watchdog

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/event"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// assigned makes a Shoot that is to be in one seed, while its control plane is in another.
func assigned(to, held string, generation int64) *gardencorev1beta1.Shoot {
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Generation: generation}, Spec: gardencorev1beta1.ShootSpec{SeedName: ptr.To(to)}}
	if held != "" {
		shoot.Status.SeedName = ptr.To(held)
	}
	return shoot
}

func TestWoken(t *testing.T) {
	woken := (&Reconciler{SeedName: "new"}).woken()
	for name, tc := range map[string]struct {
		before, after *gardencorev1beta1.Shoot
		want          bool
	}{
		"a new specification": {assigned("new", "new", 1), assigned("new", "new", 2), true},
		"a new status":        {assigned("new", "new", 1), assigned("new", "new", 1), false},
		"a shoot that its former seed has released":      {assigned("new", "old", 2), assigned("new", "", 2), true},
		"a shoot that is taken over":                     {assigned("new", "old", 2), assigned("new", "new", 2), true},
		"a shoot whose control plane is still elsewhere": {assigned("old", "old", 1), assigned("new", "old", 2), false},
		"a shoot that leaves":                            {assigned("old", "new", 2), assigned("old", "", 2), false},
		"a shoot of another seed":                        {assigned("old", "old", 1), assigned("old", "old", 2), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := woken.Update(event.UpdateEvent{ObjectOld: tc.before, ObjectNew: tc.after}); got != tc.want {
				t.Errorf("wakes: %t", got)
			}
		})
	}
	t.Run("a shoot that the gardenlet finds when it starts", func(t *testing.T) {
		if !woken.Create(event.CreateEvent{Object: assigned("new", "new", 1)}) || woken.Create(event.CreateEvent{Object: assigned("old", "old", 1)}) {
			t.Error("it wakes for the wrong shoots")
		}
	})
}
