package maintenance_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/maintenance"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestRestart(t *testing.T) {
	const operation, tasks = "gardener.cloud/operation", "shoot.gardener.cloud/tasks"
	none := map[string]string{}
	controlPlane := maintenance.Restarts{ControlPlane: true}
	for name, tc := range map[string]struct {
		restarts maintenance.Restarts
		asked    bool
		change   func(*gardencorev1beta1.Shoot)
		want     map[string]string
		text     string
	}{
		"GCM-33 marked pods of the control plane": {
			restarts: controlPlane, want: map[string]string{operation: "reconcile", tasks: "restartControlPlanePods"},
			text: "All versions are up to date. Tasks restartControlPlanePods are ordered.",
		},
		"GCM-33 system components, too": {
			restarts: maintenance.Restarts{ControlPlane: true, CoreAddons: true}, want: map[string]string{operation: "reconcile", tasks: "restartControlPlanePods,restartCoreAddons"},
			text: "All versions are up to date. Tasks restartControlPlanePods, restartCoreAddons are ordered.",
		},
		"GCM-33 nothing where both are off": {want: none, text: "All versions are up to date."},
		"GCM-33 what is ordered already stays": {
			restarts: controlPlane, change: func(s *gardencorev1beta1.Shoot) {
				s.Annotations = map[string]string{operation: "rotate-ssh-keypair", tasks: "deployInfrastructure"}
			},
			want: map[string]string{operation: "rotate-ssh-keypair", tasks: "deployInfrastructure,restartControlPlanePods"},
			text: "All versions are up to date. Tasks restartControlPlanePods are ordered.",
		},
		"GCM-33 with a new version, which is rolled out anyway": {
			restarts: controlPlane, change: func(s *gardencorev1beta1.Shoot) { s.Spec.Kubernetes.Version = "1.35.0" },
			want: map[string]string{tasks: "restartControlPlanePods"},
			text: "Control plane: updated from 1.35.0 to 1.35.1 (automatic update). Tasks restartControlPlanePods are ordered.",
		},
		"GCM-33 a cluster that sleeps has no pods": {
			restarts: controlPlane, want: none, text: "All versions are up to date.",
			change: func(s *gardencorev1beta1.Shoot) {
				s.Spec.Hibernation = &gardencorev1beta1.Hibernation{Enabled: ptr.To(true)}
			},
		},
		"GCM-33 a young cluster has fresh pods": {
			restarts: controlPlane, want: none, text: "All versions are up to date.", change: young,
		},
		"GLT-38 a run for those who ask, even with nothing to restart": {
			asked: true, want: map[string]string{operation: "reconcile"}, change: young, text: "All versions are up to date.",
		},
		"GLT-38 but may ask for it": {
			restarts: controlPlane, asked: true, want: map[string]string{operation: "reconcile", tasks: "restartControlPlanePods"}, change: young,
			text: "All versions are up to date. Tasks restartControlPlanePods are ordered.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := shootWith("1.35.1", "1.0.0", true)
			if tc.change != nil {
				tc.change(shoot)
			}
			profile := &gardencorev1beta1.CloudProfileSpec{Kubernetes: gardencorev1beta1.KubernetesSettings{Versions: []version{good("1.35.1")}}}
			plan := maintenance.PlanFor(shoot, profile, now)
			plan.Restart(tc.restarts, tc.asked, now)
			plan.Run(tc.asked)
			if diff := cmp.Diff(tc.want, plan.Shoot.Annotations); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
			if got := plan.Description(); got != tc.text {
				t.Errorf("description %q, want %q", got, tc.text)
			}
		})
	}
}

func young(s *gardencorev1beta1.Shoot) {
	s.CreationTimestamp = metav1.NewTime(now.Add(-time.Hour))
}
