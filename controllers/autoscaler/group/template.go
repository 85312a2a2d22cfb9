package group

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// ToBeDeletedTaint keeps pods away from nodes that will be removed.
const ToBeDeletedTaint = "ToBeDeletedByClusterAutoscaler"

// gpuResource is what the capacity of a machine class calls gpu.
const gpuResource corev1.ResourceName = "nvidia.com/gpu"

// FromNode makes a template from a node of the group. New nodes resemble it except for its name and its problems.
// passing are keys of taints that new nodes lose by themselves, or that describe the state of a node.
func FromNode(node *corev1.Node, passing []string) *corev1.Node {
	out := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Labels: maps.Clone(node.Labels), Annotations: node.Annotations},
		Status:     corev1.NodeStatus{Capacity: node.Status.Capacity, Allocatable: node.Status.Allocatable},
	}
	out.Spec.Taints = Lasting(node.Spec.Taints, passing)
	return out
}

// Lasting are the taints that do not disappear by themselves.
func Lasting(taints []corev1.Taint, passing []string) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(taints), func(taint corev1.Taint) bool {
		return taint.Key == ToBeDeletedTaint || strings.HasPrefix(taint.Key, "node.kubernetes.io/") || slices.Contains(passing, taint.Key)
	})
}

// FromClass makes a template from the machine class before any node exists; nil if the class does not describe its
// nodes.
func FromClass(class *machinev1alpha1.MachineClass, deployment *machinev1alpha1.MachineDeployment) *corev1.Node {
	template := class.NodeTemplate
	if template == nil {
		return nil
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
		corev1.LabelInstanceTypeStable: template.InstanceType, corev1.LabelTopologyRegion: template.Region, corev1.LabelTopologyZone: template.Zone,
		corev1.LabelOSStable: "linux", corev1.LabelArchStable: ptr.Deref(template.Architecture, "amd64"),
	}}}
	spec := deployment.Spec.Template.Spec.NodeTemplateSpec
	maps.Copy(node.Labels, spec.Labels)
	node.Annotations, node.Spec.Taints = spec.Annotations, spec.Spec.Taints
	capacity := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("110")}
	maps.Copy(capacity, template.Capacity)
	maps.Copy(capacity, template.VirtualCapacity)
	if gpus, ok := capacity["gpu"]; ok {
		delete(capacity, "gpu")
		capacity[gpuResource] = gpus
	}
	node.Status.Capacity, node.Status.Allocatable = capacity, capacity.DeepCopy()
	for name, kept := range reserved {
		if quantity, ok := node.Status.Allocatable[name]; ok {
			if quantity.Sub(kept); quantity.Sign() < 0 {
				quantity = resource.Quantity{}
			}
			node.Status.Allocatable[name] = quantity
		}
	}
	return node
}

// reserved is what kubelets reserve for themselves and against eviction by default.
var reserved = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("80m"), corev1.ResourceMemory: resource.MustParse("1124Mi")}

// Named returns the template as a node with its own name.
func Named(template *corev1.Node, name string) *corev1.Node {
	out := template.DeepCopy()
	out.Name = name
	if out.Labels == nil {
		out.Labels = map[string]string{}
	}
	out.Labels[corev1.LabelHostname] = name
	return out
}
