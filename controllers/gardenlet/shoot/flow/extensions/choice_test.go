package extensions

import (
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestEveryExtensionHasOnePlaceInAReconciliation(t *testing.T) {
	choices := map[string]Choice{"before": BeforeAPIServer, "after": AfterAPIServer, "last": AfterWorkers}
	for strategy, want := range map[gardencorev1beta1.ControllerResourceLifecycleStrategy]string{
		gardencorev1beta1.BeforeKubeAPIServer: "before", gardencorev1beta1.AfterKubeAPIServer: "after", gardencorev1beta1.AfterWorker: "last", "": "after",
	} {
		for name, choice := range choices {
			if got := choice(operation.Extension{Reconcile: strategy}); got != (name == want) {
				t.Errorf("an extension of strategy %q is chosen for %s: %t", strategy, name, got)
			}
		}
	}
}
