package etcd

import (
	"slices"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	vpav1 "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	autoscalingv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/autoscaling/v1alpha1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// container is the name of the container of etcd in its pods.
const container = "etcd"

// Times that must pass between two changes of the requests. A change restarts the members.
const (
	pauseUp   = 5 * time.Minute
	pauseDown = 15 * time.Minute
)

// most bounds the requests of an etcd.
var most = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16Gi")}

// ScalingValues are the inputs for the Hvpa of an Etcd.
type ScalingValues struct {
	Namespace string
	// Role is Main or Events.
	Role string
	// Purpose of the shoot; nil if it has none.
	Purpose *gardencorev1beta1.ShootPurpose
	// Window is the maintenance window; nil if there is none.
	Window *gardencorev1beta1.MaintenanceTimeWindow
}

// Scaling builds the Hvpa. It raises the requests of the etcd at any time. A change restarts the members, so it lowers them only in the
// maintenance window, and never if many depend on the shoot.
func Scaling(v ScalingValues) *autoscalingv1alpha1.Hvpa {
	labels := map[string]string{constants.LabelApp: "etcd-statefulset", constants.LabelRole: v.Role}
	out := &autoscalingv1alpha1.Hvpa{
		ObjectMeta: metav1.ObjectMeta{Name: Name(v.Role), Namespace: v.Namespace, Labels: names.WithRole(labels)},
		Spec: autoscalingv1alpha1.HvpaSpec{
			Vpa: autoscalingv1alpha1.VpaSpec{
				Deploy: true,
				Template: autoscalingv1alpha1.VpaTemplate{
					ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{constants.LabelRole: "etcd-vpa-" + v.Role}},
					Spec: autoscalingv1alpha1.VpaTemplateSpec{ResourcePolicy: &vpav1.PodResourcePolicy{ContainerPolicies: []vpav1.ContainerResourcePolicy{{
						ContainerName: container, MinAllowed: requests, MaxAllowed: most, ControlledValues: ptr.To(vpav1.ContainerControlledValuesRequestsOnly),
					}}}},
				},
				ScaleUp:   scale(autoscalingv1alpha1.UpdateModeAuto, pauseUp),
				ScaleDown: scale(down(v.Purpose), pauseDown),
			},
			TargetRef: &autoscalingv1.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "StatefulSet", Name: Name(v.Role)},
		},
	}
	if v.Window != nil {
		out.Spec.MaintenanceTimeWindow = &autoscalingv1alpha1.MaintenanceTimeWindow{Begin: v.Window.Begin, End: v.Window.End}
	}
	return out
}

// down is the update mode for lower requests.
func down(purpose *gardencorev1beta1.ShootPurpose) string {
	important := []gardencorev1beta1.ShootPurpose{gardencorev1beta1.ShootPurposeProduction, gardencorev1beta1.ShootPurposeInfrastructure}
	if purpose != nil && slices.Contains(important, *purpose) {
		return autoscalingv1alpha1.UpdateModeOff
	}
	return autoscalingv1alpha1.UpdateModeMaintenanceWindow
}

func scale(mode string, pause time.Duration) autoscalingv1alpha1.ScaleType {
	change := func(value string) autoscalingv1alpha1.ChangeParams {
		return autoscalingv1alpha1.ChangeParams{Value: ptr.To(value), Percentage: ptr.To[int32](50)}
	}
	return autoscalingv1alpha1.ScaleType{
		UpdatePolicy:          autoscalingv1alpha1.UpdatePolicy{UpdateMode: ptr.To(mode)},
		MinChange:             autoscalingv1alpha1.ScaleParams{CPU: change("250m"), Memory: change("512Mi")},
		StabilizationDuration: &metav1.Duration{Duration: pause},
	}
}
