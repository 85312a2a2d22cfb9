package kubescheduler

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestObjects(t *testing.T) {
	config := &gardencorev1beta1.KubeSchedulerConfig{
		KubernetesConfig: gardencorev1beta1.KubernetesConfig{FeatureGates: map[string]bool{"X": true}},
		Profile:          ptr.To(gardencorev1beta1.SchedulingProfileBinPacking),
	}
	document, deployment, err := Objects(Values{Namespace: "shoot--sky--sun", Replicas: 1, Version: "1.35.0", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	args := deployment.Spec.Template.Spec.Containers[0].Args
	t.Run("API-21 feature gates and version become flags", func(t *testing.T) {
		for _, want := range []string{"--feature-gates=X=true", "--emulated-version=1.35", "--kubernetes-version=v1.35.0"} {
			if !slices.Contains(args, want) {
				t.Errorf("%s is missing in %q", want, args)
			}
		}
	})
	t.Run("the profile bin-packing fills nodes up", func(t *testing.T) {
		if !strings.Contains(document.Data["config.yaml"], "type: MostAllocated") {
			t.Errorf("configuration:\n%s", document.Data["config.yaml"])
		}
	})
	t.Run("a Shoot that says nothing gets the profile of Kubernetes", func(t *testing.T) {
		document, _, err := Objects(Values{Namespace: "shoot--sky--sun", Version: "1.36.3"})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(document.Data["config.yaml"], "profiles") {
			t.Errorf("configuration:\n%s", document.Data["config.yaml"])
		}
	})
}
