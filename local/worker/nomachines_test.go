package worker

import (
	"errors"
	"strings"
	"testing"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func TestNoMachines(t *testing.T) {
	a := &Actuator{NoMachines: "the nodes are elsewhere"}
	worker := &extensionsv1alpha1.Worker{Spec: extensionsv1alpha1.WorkerSpec{Pools: []extensionsv1alpha1.WorkerPool{{Name: "pool"}}}}
	err := a.Reconcile(t.Context(), &contract.Cluster{Shoot: &gardencorev1beta1.Shoot{}}, worker)
	var waiting contract.Waiting
	if err == nil || errors.As(err, &waiting) || !strings.Contains(err.Error(), "the nodes are elsewhere") {
		t.Errorf("API-11 a Worker where no machines are possible: %v", err)
	}
}
