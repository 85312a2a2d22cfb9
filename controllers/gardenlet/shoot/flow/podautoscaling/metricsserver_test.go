package podautoscaling

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func shootWithWorkers(change ...func(*gardencorev1beta1.Shoot)) *gardencorev1beta1.Shoot {
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun", Namespace: "garden-sky"}}
	shoot.Spec.Provider.Workers = []gardencorev1beta1.Worker{{Name: "ray", Minimum: 1, Maximum: 2}}
	for _, f := range change {
		f(shoot)
	}
	return shoot
}

func TestWantsMetrics(t *testing.T) {
	vertical := func(enabled bool) func(*gardencorev1beta1.Shoot) {
		return func(shoot *gardencorev1beta1.Shoot) {
			shoot.Spec.Kubernetes.VerticalPodAutoscaler = &gardencorev1beta1.VerticalPodAutoscaler{Enabled: enabled}
		}
	}
	controllers := func(horizontal *gardencorev1beta1.HorizontalPodAutoscalerConfig) func(*gardencorev1beta1.Shoot) {
		return func(shoot *gardencorev1beta1.Shoot) {
			shoot.Spec.Kubernetes.KubeControllerManager = &gardencorev1beta1.KubeControllerManagerConfig{HorizontalPodAutoscalerConfig: horizontal}
		}
	}
	for name, tc := range map[string]struct {
		shoot *gardencorev1beta1.Shoot
		want  bool
	}{
		"a shoot without autoscalers of pods is not made larger":   {shootWithWorkers(), false},
		"API-21 the vertical autoscaler needs metrics":             {shootWithWorkers(vertical(true)), true},
		"API-21 not when it is switched off":                       {shootWithWorkers(vertical(false)), false},
		"who configures the horizontal autoscaler means to use it": {shootWithWorkers(controllers(&gardencorev1beta1.HorizontalPodAutoscalerConfig{})), true},
		"other settings of the controllers say nothing about it":   {shootWithWorkers(controllers(nil)), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := wantsMetrics(tc.shoot); got != tc.want {
				t.Errorf("metrics are served: %t, want %t", got, tc.want)
			}
		})
	}
}
