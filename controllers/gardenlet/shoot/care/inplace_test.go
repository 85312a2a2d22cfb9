package care

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

func TestPendingUpdates(t *testing.T) {
	shoot := &gardencorev1beta1.Shoot{}
	shoot.Spec.Provider.Workers = []gardencorev1beta1.Worker{
		{Name: "rolls"}, {Name: "auto", UpdateStrategy: ptr.To(gardencorev1beta1.AutoInPlaceUpdate)}, {Name: "manual", UpdateStrategy: ptr.To(gardencorev1beta1.ManualInPlaceUpdate)},
	}
	deployment := func(pool string, updated int32) machinev1alpha1.MachineDeployment {
		d := machinev1alpha1.MachineDeployment{Status: machinev1alpha1.MachineDeploymentStatus{Replicas: 2, UpdatedReplicas: updated}}
		d.Spec.Template.Spec.NodeTemplateSpec.Labels = map[string]string{"worker.gardener.cloud/pool": pool}
		return d
	}
	for name, tc := range map[string]struct {
		deployments []machinev1alpha1.MachineDeployment
		want        *gardencorev1beta1.PendingWorkerUpdates
	}{
		"all machines are up to date":            {deployments: []machinev1alpha1.MachineDeployment{deployment("auto", 2), deployment("manual", 2)}},
		"a pool that rolls does not wait":        {deployments: []machinev1alpha1.MachineDeployment{deployment("rolls", 1)}},
		"pools are listed by their strategy":     {deployments: []machinev1alpha1.MachineDeployment{deployment("auto", 0), deployment("manual", 1)}, want: &gardencorev1beta1.PendingWorkerUpdates{AutoInPlaceUpdate: []string{"auto"}, ManualInPlaceUpdate: []string{"manual"}}},
		"one zone that waits is enough":          {deployments: []machinev1alpha1.MachineDeployment{deployment("manual", 2), deployment("manual", 1)}, want: &gardencorev1beta1.PendingWorkerUpdates{ManualInPlaceUpdate: []string{"manual"}}},
		"machines of a former pool do not count": {deployments: []machinev1alpha1.MachineDeployment{deployment("former", 1)}},
	} {
		t.Run("API-16 "+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, PendingUpdates(shoot, tc.deployments)); diff != "" {
				t.Errorf("pools (-want +got):\n%s", diff)
			}
		})
	}
}
