package lifecycle

import (
	"testing"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestBound(t *testing.T) {
	for kind, want := range map[string]bool{"Create": true, "Reconcile": true, "Delete": true, "Restore": true, "Migrate": false} {
		t.Run("MIG-24 a migration gives the shoot up itself: "+kind, func(t *testing.T) {
			if got := bound(gardencorev1beta1.LastOperationType(kind)); got != want {
				t.Errorf("bound: %t", got)
			}
		})
	}
}
