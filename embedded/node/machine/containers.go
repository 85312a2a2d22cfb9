package machine

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

// containers is the kubelet's stub container manager, which has no cgroups, plus the machine's disk.
type containers struct {
	cm.ContainerManager
	advisor *Advisor
}

// NewContainerManager returns a manager without limits.
func NewContainerManager(advisor *Advisor) cm.ContainerManager {
	return containers{ContainerManager: cm.NewStubContainerManager(), advisor: advisor}
}

// GetCapacity returns the ephemeral storage; the kubelet takes the rest from the Advisor.
func (c containers) GetCapacity(bool) corev1.ResourceList {
	fs, err := c.advisor.RootFsInfo()
	if err != nil {
		return nil
	}
	return corev1.ResourceList{corev1.ResourceEphemeralStorage: *resource.NewQuantity(int64(fs.Capacity), resource.BinarySI)}
}

// NewPodContainerManager returns a manager of pods' cgroups that has none and says so without an error.
func (c containers) NewPodContainerManager() cm.PodContainerManager {
	return podContainers{c.ContainerManager.NewPodContainerManager()}
}

type podContainers struct{ cm.PodContainerManager }

// GetPodCgroupConfig returns limits of zero, which mean none. All fields are set, because the kubelet does not check
// for nil.
func (podContainers) GetPodCgroupConfig(*corev1.Pod, corev1.ResourceName) (*cm.ResourceConfig, error) {
	return &cm.ResourceConfig{Memory: new(int64), CPUShares: new(uint64), CPUQuota: new(int64), CPUPeriod: new(uint64)}, nil
}

// SetPodCgroupConfig has nothing to do.
func (podContainers) SetPodCgroupConfig(klog.Logger, *corev1.Pod, *cm.ResourceConfig) error {
	return nil
}
