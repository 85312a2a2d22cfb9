package operation

import (
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// UID of the shoot, which stays the same when its control plane moves.
func UID(shoot *gardencorev1beta1.Shoot) string {
	if shoot.Status.UID != "" {
		return string(shoot.Status.UID)
	}
	return string(shoot.UID)
}

// NetworkType is the type of the network extension of the shoot, empty if it has none.
func NetworkType(shoot *gardencorev1beta1.Shoot) string {
	if n := shoot.Spec.Networking; n != nil {
		return ptr.Deref(n.Type, "")
	}
	return ""
}

// MaxPods is the largest number of pods that a node of any pool may have.
func MaxPods(shoot *gardencorev1beta1.Shoot) int32 {
	const usual = 110
	common := int32(usual)
	if kubelet := shoot.Spec.Kubernetes.Kubelet; kubelet != nil {
		common = ptr.Deref(kubelet.MaxPods, usual)
	}
	largest := int32(0)
	for _, worker := range shoot.Spec.Provider.Workers {
		pods := common
		if worker.Kubernetes != nil && worker.Kubernetes.Kubelet != nil {
			pods = ptr.Deref(worker.Kubernetes.Kubelet.MaxPods, usual)
		}
		largest = max(largest, pods)
	}
	if largest == 0 {
		return common
	}
	return largest
}

// SSHAccess reports whether the nodes accept SSH.
func SSHAccess(shoot *gardencorev1beta1.Shoot) bool {
	settings := shoot.Spec.Provider.WorkersSettings
	return !helper.IsWorkerless(shoot) && (settings == nil || settings.SSHAccess == nil || settings.SSHAccess.Enabled)
}

// KubeProxy reports whether Gardener deploys kube-proxy.
func KubeProxy(shoot *gardencorev1beta1.Shoot) bool {
	proxy := shoot.Spec.Kubernetes.KubeProxy
	return proxy == nil || ptr.Deref(proxy.Enabled, true)
}

// IPVS reports whether kube-proxy binds the addresses of Services on the nodes.
func IPVS(shoot *gardencorev1beta1.Shoot) bool {
	proxy := shoot.Spec.Kubernetes.KubeProxy
	return KubeProxy(shoot) && proxy != nil && ptr.Deref(proxy.Mode, "") == gardencorev1beta1.ProxyModeIPVS
}

// Window is the maintenance window; the whole day if there is none.
func Window(shoot *gardencorev1beta1.Shoot) helper.TimeWindow {
	if m := shoot.Spec.Maintenance; m != nil && m.TimeWindow != nil {
		if window, err := helper.ParseTimeWindow(*m.TimeWindow); err == nil {
			return window
		}
	}
	return helper.TimeWindow{}
}

// StaticTokenKubeconfig reports whether users get a kubeconfig with a token that never expires.
func StaticTokenKubeconfig(shoot *gardencorev1beta1.Shoot) bool {
	return ptr.Deref(shoot.Spec.Kubernetes.EnableStaticTokenKubeconfig, false)
}

// Ordered reports whether a task was requested for this run.
func Ordered(shoot *gardencorev1beta1.Shoot, task string) bool {
	return slices.Contains(strings.Split(shoot.Annotations[constants.ShootTasks], ","), task)
}

// KubeletVersion is the version of Kubernetes of a worker pool.
func KubeletVersion(shoot *gardencorev1beta1.Shoot, worker gardencorev1beta1.Worker) string {
	if worker.Kubernetes != nil {
		return ptr.Deref(worker.Kubernetes.Version, shoot.Spec.Kubernetes.Version)
	}
	return shoot.Spec.Kubernetes.Version
}

// KubeletConfig of a worker pool replaces that of the shoot; they are not merged.
func KubeletConfig(shoot *gardencorev1beta1.Shoot, worker gardencorev1beta1.Worker) *gardencorev1beta1.KubeletConfig {
	if worker.Kubernetes != nil && worker.Kubernetes.Kubelet != nil {
		return worker.Kubernetes.Kubelet
	}
	return shoot.Spec.Kubernetes.Kubelet
}
