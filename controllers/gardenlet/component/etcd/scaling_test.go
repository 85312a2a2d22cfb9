package etcd

import (
	"testing"

	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestScaling(t *testing.T) {
	window := &gardencorev1beta1.MaintenanceTimeWindow{Begin: "220000+0100", End: "230000+0100"}
	for purpose, want := range map[gardencorev1beta1.ShootPurpose]string{
		gardencorev1beta1.ShootPurposeProduction: "Off", gardencorev1beta1.ShootPurposeInfrastructure: "Off",
		gardencorev1beta1.ShootPurposeEvaluation: "MaintenanceWindow", gardencorev1beta1.ShootPurposeDevelopment: "MaintenanceWindow",
		gardencorev1beta1.ShootPurposeTesting: "MaintenanceWindow", "": "MaintenanceWindow",
	} {
		t.Run("GLT-41 lower requests of a shoot with purpose "+string(purpose), func(t *testing.T) {
			values := ScalingValues{Namespace: "shoot--p--s", Role: Main, Window: window}
			if purpose != "" {
				values.Purpose = &purpose
			}
			hvpa := Scaling(values)
			if got := ptr.Deref(hvpa.Spec.Vpa.ScaleDown.UpdatePolicy.UpdateMode, ""); got != want {
				t.Errorf("update mode of scaleDown is %q, want %q", got, want)
			}
			if got := ptr.Deref(hvpa.Spec.Vpa.ScaleUp.UpdatePolicy.UpdateMode, ""); got != "Auto" {
				t.Errorf("update mode of scaleUp is %q", got)
			}
			if got := hvpa.Spec.MaintenanceTimeWindow; got == nil || got.Begin != window.Begin || got.End != window.End {
				t.Errorf("window is %+v", got)
			}
			if got := hvpa.Spec.TargetRef; hvpa.Name != "etcd-main" || got.APIVersion != "apps/v1" || got.Kind != "StatefulSet" || got.Name != "etcd-main" {
				t.Errorf("%s targets %+v", hvpa.Name, got)
			}
		})
	}
}

func TestRequests(t *testing.T) {
	values := backedUp("uid")
	usual := Object(values).Spec.Etcd.Resources.Requests
	values.Requests = most
	if got := Object(values).Spec.Etcd.Resources.Requests; got.Memory().Cmp(*most.Memory()) != 0 || usual.Memory().Cmp(*requests.Memory()) != 0 {
		t.Errorf("GLT-41 requests are %v, and usually %v", got, usual)
	}
}
