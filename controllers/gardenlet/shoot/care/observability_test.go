package care

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"k8s.io/utils/clock"
)

func TestObservability(t *testing.T) {
	set := func(ready int32) client.Object {
		return &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--sky--sun", Name: "prometheus-shoot"},
			Spec:       appsv1.StatefulSetSpec{Replicas: ptr.To[int32](1)}, Status: appsv1.StatefulSetStatus{ReadyReplicas: ready},
		}
	}
	for name, tc := range map[string]struct {
		objects []client.Object
		want    string
	}{
		"GLT-33 a Prometheus that serves":            {[]client.Object{set(1)}, "ObservabilityComponentsRunning"},
		"GLT-33 a Prometheus whose pod is not ready": {[]client.Object{set(0)}, "StatefulSetUnhealthy"},
		"GLT-33 a Prometheus that somebody deleted":  {nil, "StatefulSetMissing"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{Seed: fake.NewClientBuilder().WithObjects(tc.objects...).Build()}
			if got := r.observability(t.Context(), "shoot--sky--sun"); got.Reason != tc.want {
				t.Errorf("reason is %s (%s), want %s", got.Reason, got.Message, tc.want)
			}
		})
	}
}

func TestConditionAboutObservability(t *testing.T) {
	shoot := &gardencorev1beta1.Shoot{}
	forTests := &gardencorev1beta1.Shoot{Spec: gardencorev1beta1.ShootSpec{Purpose: ptr.To(gardencorev1beta1.ShootPurposeTesting)}}
	for name, tc := range map[string]struct {
		enabled bool
		shoot   *gardencorev1beta1.Shoot
		want    bool
	}{
		"a monitored shoot has it":              {true, shoot, true},
		"a shoot for tests has none":            {true, forTests, false},
		"no shoot has it where nobody monitors": {false, shoot, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{Clock: clock.RealClock{}, Settings: Settings{Monitoring: tc.enabled}}
			shoot := tc.shoot.DeepCopy()
			shoot.Status.Conditions = []gardencorev1beta1.Condition{{Type: ObservabilityHealthy, Status: gardencorev1beta1.ConditionTrue}} // from before
			r.apply(shoot, map[gardencorev1beta1.ConditionType]conditions.Finding{ObservabilityHealthy: conditions.True("Fine", "Fine.")})
			if got := conditions.Get(shoot.Status.Conditions, ObservabilityHealthy) != nil; got != tc.want {
				t.Errorf("the shoot has the condition: %t, want %t", got, tc.want)
			}
		})
	}
}
