package verticalautoscaler

import (
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/features"
	"k8s.io/utils/ptr"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// commands by the name of the Deployment.
func commands() map[string]*cobra.Command {
	return map[string]*cobra.Command{
		verticalpodautoscaler.Recommender: RecommenderCommand(), verticalpodautoscaler.Updater: UpdaterCommand(), verticalpodautoscaler.Admission: AdmissionCommand(),
	}
}

func deployments() []*appsv1.Deployment {
	_, out := verticalpodautoscaler.Objects(verticalpodautoscaler.Values{Namespace: "shoot--sky--sun", Config: gardencorev1beta1.VerticalPodAutoscaler{
		Enabled: true, FeatureGates: map[string]bool{"InPlaceOrRecreate": true, "PerVPAConfig": true}, EvictionRateLimit: ptr.To(2.5),
		RecommenderInterval: &metav1.Duration{Duration: 7 * time.Second}, MaxAllowed: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("3Gi")},
	}})
	return out
}

func TestTheComponentsKnowAllFlagsOfTheirDeployments(t *testing.T) {
	all := commands()
	for _, deployment := range deployments() {
		t.Run("API-21 "+deployment.Name, func(t *testing.T) {
			cmd, args := all[deployment.Name], deployment.Spec.Template.Spec.Containers[0].Args
			if args[1] != cmd.Name() {
				t.Errorf("the pods run the component %s, want %s", args[1], cmd.Name())
			}
			if err := cmd.ParseFlags(args[2:]); err != nil {
				t.Fatal(err)
			}
			if err := cmd.ValidateRequiredFlags(); err != nil {
				t.Error(err)
			}
		})
	}
	recommender := all[verticalpodautoscaler.Recommender].Flags()
	for flag, want := range map[string]string{"recommender-interval": "7s", "container-recommendation-max-allowed-cpu": "2", "container-recommendation-max-allowed-memory": "3Gi"} {
		if got := recommender.Lookup(flag).Value.String(); got != want {
			t.Errorf("%s is %s, want %s", flag, got, want)
		}
	}
}

func TestUnknownFeaturesAreLeftOut(t *testing.T) {
	enableFeatures(map[string]bool{"InPlaceOrRecreate": true, "PerVPAConfig": true}, logr.Discard())
	if !features.Enabled(features.PerVPAConfig) || features.Enabled(features.CPUStartupBoost) {
		t.Error("features are not those of the flag")
	}
}
