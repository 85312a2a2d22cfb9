package scaling

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	autoscalingv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/autoscaling/v1alpha1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// The window is from 22 to 23 o'clock.
var (
	window = &gardencorev1beta1.MaintenanceTimeWindow{Begin: "220000+0000", End: "230000+0000"}
	noon   = time.Date(2026, 1, 4, 12, 0, 0, 0, time.UTC)
	night  = time.Date(2026, 1, 4, 22, 30, 0, 0, time.UTC)
)

func hvpaOf(purpose gardencorev1beta1.ShootPurpose) *autoscalingv1alpha1.Hvpa {
	return etcd.Scaling(etcd.ScalingValues{Namespace: namespace, Role: etcd.Main, Purpose: &purpose, Window: window})
}

func requests(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
}

func TestDecide(t *testing.T) {
	const evaluation, production, infrastructure = gardencorev1beta1.ShootPurposeEvaluation, gardencorev1beta1.ShootPurposeProduction, gardencorev1beta1.ShootPurposeInfrastructure
	for name, tc := range map[string]struct {
		purpose     gardencorev1beta1.ShootPurpose
		at          time.Time
		last        time.Duration // since the last change; 0 if there is none
		recommended corev1.ResourceList
		want        corev1.ResourceList // from 100m and 1Gi
		blocked     []string
	}{
		"GLT-41 requests are raised at any time":                                     {evaluation, noon, 0, requests("200m", "2Gi"), requests("200m", "2Gi"), nil},
		"GLT-41 also those of production":                                            {production, noon, 0, requests("200m", "2Gi"), requests("200m", "2Gi"), nil},
		"GLT-41 they are not lowered outside of the window":                          {evaluation, noon, 0, requests("20m", "100Mi"), requests("100m", "1Gi"), []string{"MaintenanceWindow", "MaintenanceWindow"}},
		"GLT-41 they are lowered inside of the window":                               {evaluation, night, 0, requests("20m", "100Mi"), requests("20m", "100Mi"), nil},
		"GLT-41 those of production are not lowered in the window":                   {production, night, 0, requests("20m", "100Mi"), requests("100m", "1Gi"), []string{"UpdateMode", "UpdateMode"}},
		"GLT-41 those of infrastructure are not lowered in the window":               {infrastructure, night, 0, requests("20m", "100Mi"), requests("100m", "1Gi"), []string{"UpdateMode", "UpdateMode"}},
		"GLT-41 one is raised, and the other may not be lowered":                     {evaluation, noon, 0, requests("200m", "100Mi"), requests("200m", "1Gi"), []string{"MaintenanceWindow"}},
		"GLT-41 a small change is not worth a restart":                               {evaluation, night, 0, requests("149m", "1500Mi"), requests("100m", "1Gi"), []string{"MinChanged", "MinChanged"}},
		"GLT-41 a large one is worth it, although it is a small part of the request": {evaluation, noon, 0, requests("100m", "1536Mi"), requests("100m", "1536Mi"), nil},
		"GLT-41 after a change they are not raised for a while":                      {evaluation, noon, 4 * time.Minute, requests("200m", "2Gi"), requests("100m", "1Gi"), []string{"StabilizationWindow", "StabilizationWindow"}},
		"GLT-41 but then": {evaluation, noon, 5 * time.Minute, requests("200m", "2Gi"), requests("200m", "2Gi"), nil},
		"GLT-41 after a change they are not lowered for a longer while":                 {evaluation, night, 14 * time.Minute, requests("20m", "100Mi"), requests("100m", "1Gi"), []string{"StabilizationWindow", "StabilizationWindow"}},
		"GLT-41 a recommendation for one of them leaves the other":                      {evaluation, noon, 0, corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}, requests("1", "1Gi"), nil},
		"GLT-41 what is as recommended stays":                                           {evaluation, night, 0, requests("100m", "1Gi"), requests("100m", "1Gi"), nil},
		"GLT-41 a resource that etcds do not request is left out of the recommendation": {evaluation, noon, 0, corev1.ResourceList{"storage": resource.MustParse("1Gi")}, requests("100m", "1Gi"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			hvpa := hvpaOf(tc.purpose)
			if tc.last > 0 {
				hvpa.Status.LastScaling = &autoscalingv1alpha1.ScalingStatus{LastUpdated: ptr.To(metav1.NewTime(tc.at.Add(-tc.last)))}
			}
			got, blocked := Decide(hvpa, requests("100m", "1Gi"), tc.recommended, tc.at)
			if !equal(got, tc.want) || !slices.Equal(blocked, tc.blocked) {
				t.Errorf("requests are %v, want %v; obstacles are %v, want %v", got, tc.want, blocked, tc.blocked)
			}
		})
	}
	t.Run("GLT-41 without a window nothing is lowered", func(t *testing.T) {
		hvpa := hvpaOf(evaluation)
		hvpa.Spec.MaintenanceTimeWindow = nil
		if got, _ := Decide(hvpa, requests("100m", "1Gi"), requests("20m", "100Mi"), night); !equal(got, requests("100m", "1Gi")) {
			t.Errorf("requests are %v", got)
		}
	})
}
