package clusterautoscaler

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/autoscaler"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

func values(config *gardencorev1beta1.ClusterAutoscaler) Values {
	return Values{Namespace: "shoot--sky--sun", Replicas: 1, Config: config, MachineDeployments: []extensionsv1alpha1.MachineDeployment{
		{Name: "ray-z1", Minimum: 1, Maximum: 3, Priority: ptr.To[int32](5)}, {Name: "fixed-z1", Minimum: 2, Maximum: 2},
	}}
}

func args(v Values) []string {
	_, deployment := Objects(v)
	return deployment.Spec.Template.Spec.Containers[0].Args
}

func TestArgs(t *testing.T) {
	for name, tc := range map[string]struct {
		config *gardencorev1beta1.ClusterAutoscaler
		want   []string
	}{
		"API-22 what the shoot says": {
			&gardencorev1beta1.ClusterAutoscaler{
				ScaleDownUtilizationThreshold: ptr.To(0.4), ScaleDownUnneededTime: &metav1.Duration{Duration: 31 * time.Minute},
				ScaleDownDelayAfterAdd: &metav1.Duration{Duration: 61 * time.Minute}, ScaleDownDelayAfterFailure: &metav1.Duration{Duration: 11 * time.Minute},
				ScaleDownDelayAfterDelete: &metav1.Duration{Duration: 12 * time.Second}, ScanInterval: &metav1.Duration{Duration: 13 * time.Second},
				Expander: ptr.To(gardencorev1beta1.ExpanderMode("priority,least-waste")), MaxGracefulTerminationSeconds: ptr.To[int32](60), StartupTaints: []string{"own"},
			},
			[]string{
				"--scale-down-utilization-threshold=0.4", "--scale-down-unneeded-time=31m0s", "--scale-down-delay-after-add=1h1m0s", "--scale-down-delay-after-failure=11m0s",
				"--scale-down-delay-after-delete=12s", "--scan-interval=13s", "--expander=priority,least-waste", "--max-graceful-termination-sec=60", "--startup-taint=own",
			},
		},
		"API-22 defaults where it says nothing": {
			nil, []string{
				"--scale-down-utilization-threshold=0.5", "--scale-down-unneeded-time=30m0s", "--scale-down-delay-after-add=1h0m0s", "--scan-interval=10s",
				"--expander=least-waste", "--max-node-provision-time=20m0s", "--startup-taint=node.gardener.cloud/critical-components-not-ready",
			},
		},
		"bounds of pools that may change their size": {nil, []string{"--nodes=1:3:shoot--sky--sun.ray-z1"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := args(values(tc.config))
			for _, want := range tc.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s is missing in %v", want, got)
				}
			}
			if slices.ContainsFunc(got, func(arg string) bool { return strings.Contains(arg, "fixed-z1") }) {
				t.Errorf("a pool of a fixed size may change: %v", got)
			}
		})
	}
}

func TestTheComponentKnowsAllFlags(t *testing.T) {
	config := &gardencorev1beta1.ClusterAutoscaler{StartupTaints: []string{"a"}, StatusTaints: []string{"b"}, IgnoreTaints: []string{"c"}}
	cmd := autoscaler.Command()
	if err := cmd.ParseFlags(args(values(config))[2:]); err != nil {
		t.Error(err)
	}
}

func TestPriorities(t *testing.T) {
	ranks := func(v Values) string {
		for _, object := range ShootObjects(v) {
			if config, ok := object.(*corev1.ConfigMap); ok {
				return config.Data["priorities"]
			}
		}
		return ""
	}
	if got := ranks(values(nil)); got != "" {
		t.Errorf("priorities without the expander: %s", got)
	}
	got := ranks(values(&gardencorev1beta1.ClusterAutoscaler{Expander: ptr.To(gardencorev1beta1.ClusterAutoscalerExpanderPriority)}))
	if want := "0:\n  - ^fixed-z1$\n5:\n  - ^ray-z1$\n"; got != want {
		t.Errorf("ranks:\n%s\nwant\n%s", got, want)
	}
}
