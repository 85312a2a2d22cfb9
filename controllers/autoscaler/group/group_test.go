package group

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

func TestParseBounds(t *testing.T) {
	for text, want := range map[string]*Bounds{
		"1:3:shoot--a--b.shoot--a--b-pool-z1": {Name: "shoot--a--b-pool-z1", Min: 1, Max: 3},
		"0:0:shoot--a--b.x":                   {Name: "x"},
		"1:3:other.x":                         nil,
		"3:1:shoot--a--b.x":                   nil,
		"-1:1:shoot--a--b.x":                  nil,
		"a:1:shoot--a--b.x":                   nil,
		"1:shoot--a--b.x":                     nil,
		"1:2:shoot--a--b.":                    nil,
	} {
		got, err := ParseBounds(text, "shoot--a--b")
		if (err == nil) != (want != nil) {
			t.Errorf("%s: error is %v", text, err)
		}
		if want != nil && got != *want {
			t.Errorf("%s: got %+v, want %+v", text, got, *want)
		}
	}
}

func TestSettingsOf(t *testing.T) {
	got := SettingsOf(&machinev1alpha1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
		"autoscaler.gardener.cloud/scale-down-utilization-threshold": "0.3",
		"autoscaler.gardener.cloud/scale-down-unneeded-time":         "15m0s",
		"autoscaler.gardener.cloud/max-node-provision-time":          "soon",
	}}})
	if diff := cmp.Diff(Settings{UtilizationThreshold: ptr.To(0.3), UnneededTime: ptr.To(15 * time.Minute)}, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestFromClass(t *testing.T) {
	deployment := &machinev1alpha1.MachineDeployment{}
	deployment.Spec.Template.Spec.NodeTemplateSpec.Labels = map[string]string{"pool": "p"}
	deployment.Spec.Template.Spec.NodeTemplateSpec.Spec.Taints = []corev1.Taint{{Key: "own"}}
	class := &machinev1alpha1.MachineClass{NodeTemplate: &machinev1alpha1.NodeTemplate{
		InstanceType: "small", Region: "r", Zone: "z", Architecture: ptr.To("arm64"),
		Capacity:        corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("1Gi"), "gpu": resource.MustParse("1")},
		VirtualCapacity: corev1.ResourceList{"x/virtual": resource.MustParse("7")},
	}}
	node := FromClass(class, deployment)
	want := map[corev1.ResourceName]string{corev1.ResourceCPU: "1920m", corev1.ResourceMemory: "0", "nvidia.com/gpu": "1", "x/virtual": "7", corev1.ResourcePods: "110"}
	for name, amount := range want {
		if got := node.Status.Allocatable[name]; got.Cmp(resource.MustParse(amount)) != 0 {
			t.Errorf("%s is %s, want %s", name, got.String(), amount)
		}
	}
	if node.Labels["pool"] != "p" || node.Labels[corev1.LabelTopologyZone] != "z" || node.Labels[corev1.LabelArchStable] != "arm64" || len(node.Spec.Taints) != 1 {
		t.Errorf("labels %v, taints %v", node.Labels, node.Spec.Taints)
	}
	if got := class.NodeTemplate.Capacity["gpu"]; got.IsZero() {
		t.Error("the class has been changed")
	}
	if FromClass(&machinev1alpha1.MachineClass{}, deployment) != nil {
		t.Error("a class without capacity has a template")
	}
}

func TestFromNode(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{corev1.LabelHostname: "n", "pool": "p"}}}
	node.Spec.Unschedulable = true
	node.Spec.Taints = []corev1.Taint{{Key: "own"}, {Key: ToBeDeletedTaint}, {Key: corev1.TaintNodeUnschedulable}, {Key: "passes"}}
	template := FromNode(node, []string{"passes"})
	if diff := cmp.Diff([]corev1.Taint{{Key: "own"}}, template.Spec.Taints); diff != "" || template.Spec.Unschedulable {
		t.Errorf("taints (-want +got):\n%s", diff)
	}
	if named := Named(template, "new"); named.Name != "new" || named.Labels[corev1.LabelHostname] != "new" || named.Labels["pool"] != "p" {
		t.Errorf("named: %+v", named.ObjectMeta)
	}
	if node.Labels[corev1.LabelHostname] != "n" {
		t.Error("the node has been changed")
	}
}
