package worker

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

func TestAnnotationsForTheAutoscaler(t *testing.T) {
	threshold := "0.3"
	deployment := &v1alpha1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
		"own": "stays", v1alpha1.ScaleDownUnreadyTimeAnnotation: "1h0m0s",
	}}}
	t.Run("API-22 the settings of a pool are told, others are taken back", func(t *testing.T) {
		annotate(deployment, &extensionsv1alpha1.ClusterAutoscalerOptions{
			ScaleDownUtilizationThreshold: &threshold, ScaleDownUnneededTime: &metav1.Duration{Duration: 15 * time.Minute},
		})
		want := map[string]string{
			"own": "stays", "autoscaler.gardener.cloud/scale-down-utilization-threshold": "0.3", "autoscaler.gardener.cloud/scale-down-unneeded-time": "15m0s",
		}
		if diff := cmp.Diff(want, deployment.Annotations); diff != "" {
			t.Errorf("annotations (-want +got):\n%s", diff)
		}
	})
	t.Run("a pool without settings has none", func(t *testing.T) {
		annotate(deployment, nil)
		if diff := cmp.Diff(map[string]string{"own": "stays"}, deployment.Annotations); diff != "" {
			t.Errorf("annotations (-want +got):\n%s", diff)
		}
	})
}
