package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KubeletConfig configures the kubelet.
type KubeletConfig struct {
	// KubernetesConfig holds the feature gates.
	KubernetesConfig `json:",inline" protobuf:"bytes,1,opt,name=kubernetesConfig"`

	// CPUCFSQuota enforces CPU limits; true by default.
	CPUCFSQuota *bool `json:"cpuCFSQuota,omitempty" protobuf:"varint,2,opt,name=cpuCFSQuota"`

	// CPUManagerPolicy is none or static.
	CPUManagerPolicy *string `json:"cpuManagerPolicy,omitempty" protobuf:"bytes,3,opt,name=cpuManagerPolicy"`

	// EvictionHard are thresholds at which pods are evicted at once.
	EvictionHard *KubeletConfigEviction `json:"evictionHard,omitempty" protobuf:"bytes,4,opt,name=evictionHard"`

	// EvictionMaxPodGracePeriod is how many seconds pods get to end at a soft threshold; 90 if unset.
	EvictionMaxPodGracePeriod *int32 `json:"evictionMaxPodGracePeriod,omitempty" protobuf:"varint,5,opt,name=evictionMaxPodGracePeriod"`

	// EvictionMinimumReclaim are the least amounts that an eviction must reclaim.
	EvictionMinimumReclaim *KubeletConfigEvictionMinimumReclaim `json:"evictionMinimumReclaim,omitempty" protobuf:"bytes,6,opt,name=evictionMinimumReclaim"`

	// EvictionPressureTransitionPeriod is the shortest time that a node reports pressure; 4m if unset.
	EvictionPressureTransitionPeriod *metav1.Duration `json:"evictionPressureTransitionPeriod,omitempty" protobuf:"bytes,7,opt,name=evictionPressureTransitionPeriod"`

	// EvictionSoft are thresholds at which pods are evicted after a grace period.
	EvictionSoft *KubeletConfigEviction `json:"evictionSoft,omitempty" protobuf:"bytes,8,opt,name=evictionSoft"`

	// EvictionSoftGracePeriod are the grace periods of the soft thresholds; 1m30s if unset.
	EvictionSoftGracePeriod *KubeletConfigEvictionSoftGracePeriod `json:"evictionSoftGracePeriod,omitempty" protobuf:"bytes,9,opt,name=evictionSoftGracePeriod"`

	// MaxPods is the largest number of pods on a node; 110 if unset.
	MaxPods *int32 `json:"maxPods,omitempty" protobuf:"varint,10,opt,name=maxPods"`

	// PodPIDsLimit is the largest number of processes in a pod.
	PodPIDsLimit *int64 `json:"podPidsLimit,omitempty" protobuf:"varint,11,opt,name=podPidsLimit"`

	// ImagePullProgressDeadline is how long a pull may make no progress; docker only.
	ImagePullProgressDeadline *metav1.Duration `json:"imagePullProgressDeadline,omitempty" protobuf:"bytes,12,opt,name=imagePullProgressDeadline"`

	// FailSwapOn refuses to start where swap is on; true by default.
	FailSwapOn *bool `json:"failSwapOn,omitempty" protobuf:"varint,13,opt,name=failSwapOn"`

	// KubeReserved is kept for Kubernetes components.
	KubeReserved *KubeletConfigReserved `json:"kubeReserved,omitempty" protobuf:"bytes,14,opt,name=kubeReserved"`

	// SystemReserved is kept for other system processes.
	SystemReserved *KubeletConfigReserved `json:"systemReserved,omitempty" protobuf:"bytes,15,opt,name=systemReserved"`

	// ImageGCHighThresholdPercent is the disk usage at which images are always removed; 50 by default.
	ImageGCHighThresholdPercent *int32 `json:"imageGCHighThresholdPercent,omitempty" protobuf:"varint,16,opt,name=imageGCHighThresholdPercent"`

	// ImageGCLowThresholdPercent is the disk usage down to which images are removed; 40 by default.
	ImageGCLowThresholdPercent *int32 `json:"imageGCLowThresholdPercent,omitempty" protobuf:"varint,17,opt,name=imageGCLowThresholdPercent"`

	// SerializeImagePulls pulls one image at a time; true by default.
	SerializeImagePulls *bool `json:"serializeImagePulls,omitempty" protobuf:"varint,18,opt,name=serializeImagePulls"`

	// RegistryPullQPS is how many pulls may begin per second; 5 if unset.
	RegistryPullQPS *int32 `json:"registryPullQPS,omitempty" protobuf:"varint,19,opt,name=registryPullQPS"`

	// RegistryBurst is how many pulls may begin at once; 10 if unset.
	RegistryBurst *int32 `json:"registryBurst,omitempty" protobuf:"varint,20,opt,name=registryBurst"`

	// SeccompDefault gives all containers the runtime's seccomp profile.
	SeccompDefault *bool `json:"seccompDefault,omitempty" protobuf:"varint,21,opt,name=seccompDefault"`

	// ContainerLogMaxSize is the size at which a log is rotated; 100Mi if unset.
	ContainerLogMaxSize *resource.Quantity `json:"containerLogMaxSize,omitempty" protobuf:"bytes,22,opt,name=containerLogMaxSize"`

	// ContainerLogMaxFiles is how many log files of a container are kept.
	ContainerLogMaxFiles *int32 `json:"containerLogMaxFiles,omitempty" protobuf:"varint,23,opt,name=containerLogMaxFiles"`

	// ProtectKernelDefaults refuses to start where kernel parameters differ; true if unset.
	ProtectKernelDefaults *bool `json:"protectKernelDefaults,omitempty" protobuf:"varint,24,opt,name=protectKernelDefaults"`

	// StreamingConnectionIdleTimeout is how long an idle stream is kept, 30s to 4h; 5m if unset.
	StreamingConnectionIdleTimeout *metav1.Duration `json:"streamingConnectionIdleTimeout,omitempty" protobuf:"bytes,25,opt,name=streamingConnectionIdleTimeout"`

	// MemorySwap configures swap.
	MemorySwap *MemorySwapConfiguration `json:"memorySwap,omitempty" protobuf:"bytes,26,opt,name=memorySwap"`

	// MaxParallelImagePulls is how many images are pulled at once.
	MaxParallelImagePulls *int32 `json:"maxParallelImagePulls,omitempty" protobuf:"varint,27,opt,name=maxParallelImagePulls"`

	// ImageMinimumGCAge is the age from which an unused image may be removed; 2m if unset.
	ImageMinimumGCAge *metav1.Duration `json:"imageMinimumGCAge,omitempty" protobuf:"bytes,28,opt,name=imageMinimumGCAge"`

	// ImageMaximumGCAge is the age at which an unused image is removed; 0s, which is never, if unset.
	ImageMaximumGCAge *metav1.Duration `json:"imageMaximumGCAge,omitempty" protobuf:"bytes,29,opt,name=imageMaximumGCAge"`

	// SingleProcessOOMKill kills single processes instead of the container when memory runs out.
	SingleProcessOOMKill *bool `json:"singleProcessOOMKill,omitempty" protobuf:"varint,30,opt,name=singleProcessOOMKill"`

	// ImagePullCredentialsVerificationPolicy says for which images pull credentials are verified again; from
	// Kubernetes 1.35 on.
	ImagePullCredentialsVerificationPolicy *string `json:"imagePullCredentialsVerificationPolicy,omitempty" protobuf:"bytes,31,opt,name=imagePullCredentialsVerificationPolicy"`

	// PreloadedImagesVerificationAllowlist are preloaded images that need no verification.
	// +listType=set
	PreloadedImagesVerificationAllowlist []string `json:"preloadedImagesVerificationAllowlist,omitempty" protobuf:"bytes,32,rep,name=preloadedImagesVerificationAllowlist"`
}

// KubeletConfigEviction are thresholds, as quantity or percentage.
type KubeletConfigEviction struct {
	// MemoryAvailable is the threshold for free memory.
	MemoryAvailable *string `json:"memoryAvailable,omitempty" protobuf:"bytes,1,opt,name=memoryAvailable"`

	// ImageFSAvailable is the threshold for free space for images.
	ImageFSAvailable *string `json:"imageFSAvailable,omitempty" protobuf:"bytes,2,opt,name=imageFSAvailable"`

	// ImageFSInodesFree is the threshold for free inodes for images.
	ImageFSInodesFree *string `json:"imageFSInodesFree,omitempty" protobuf:"bytes,3,opt,name=imageFSInodesFree"`

	// NodeFSAvailable is the threshold for free space on the node.
	NodeFSAvailable *string `json:"nodeFSAvailable,omitempty" protobuf:"bytes,4,opt,name=nodeFSAvailable"`

	// NodeFSInodesFree is the threshold for free inodes on the node.
	NodeFSInodesFree *string `json:"nodeFSInodesFree,omitempty" protobuf:"bytes,5,opt,name=nodeFSInodesFree"`
}

// KubeletConfigEvictionMinimumReclaim are the least amounts that an eviction must reclaim.
type KubeletConfigEvictionMinimumReclaim struct {
	// MemoryAvailable is the least amount of memory to reclaim.
	MemoryAvailable *resource.Quantity `json:"memoryAvailable,omitempty" protobuf:"bytes,1,opt,name=memoryAvailable"`

	// ImageFSAvailable is the least amount of disk space for images to reclaim.
	ImageFSAvailable *resource.Quantity `json:"imageFSAvailable,omitempty" protobuf:"bytes,2,opt,name=imageFSAvailable"`

	// ImageFSInodesFree is the least number of inodes for images to reclaim.
	ImageFSInodesFree *resource.Quantity `json:"imageFSInodesFree,omitempty" protobuf:"bytes,3,opt,name=imageFSInodesFree"`

	// NodeFSAvailable is the least amount of disk space of the node to reclaim.
	NodeFSAvailable *resource.Quantity `json:"nodeFSAvailable,omitempty" protobuf:"bytes,4,opt,name=nodeFSAvailable"`

	// NodeFSInodesFree is the least number of inodes of the node to reclaim.
	NodeFSInodesFree *resource.Quantity `json:"nodeFSInodesFree,omitempty" protobuf:"bytes,5,opt,name=nodeFSInodesFree"`
}

// KubeletConfigEvictionSoftGracePeriod are the grace periods of soft thresholds.
type KubeletConfigEvictionSoftGracePeriod struct {
	// MemoryAvailable is the grace period of the threshold for free memory.
	MemoryAvailable *metav1.Duration `json:"memoryAvailable,omitempty" protobuf:"bytes,1,opt,name=memoryAvailable"`

	// ImageFSAvailable is the grace period of the threshold for free space for images.
	ImageFSAvailable *metav1.Duration `json:"imageFSAvailable,omitempty" protobuf:"bytes,2,opt,name=imageFSAvailable"`

	// ImageFSInodesFree is the grace period of the threshold for free inodes for images.
	ImageFSInodesFree *metav1.Duration `json:"imageFSInodesFree,omitempty" protobuf:"bytes,3,opt,name=imageFSInodesFree"`

	// NodeFSAvailable is the grace period of the threshold for free space on the node.
	NodeFSAvailable *metav1.Duration `json:"nodeFSAvailable,omitempty" protobuf:"bytes,4,opt,name=nodeFSAvailable"`

	// NodeFSInodesFree is the grace period of the threshold for free inodes on the node.
	NodeFSInodesFree *metav1.Duration `json:"nodeFSInodesFree,omitempty" protobuf:"bytes,5,opt,name=nodeFSInodesFree"`
}

// KubeletConfigReserved are resources that pods cannot use.
type KubeletConfigReserved struct {
	// CPU is kept processor time.
	CPU *resource.Quantity `json:"cpu,omitempty" protobuf:"bytes,1,opt,name=cpu"`

	// Memory is kept memory.
	Memory *resource.Quantity `json:"memory,omitempty" protobuf:"bytes,2,opt,name=memory"`

	// EphemeralStorage is kept disk space.
	EphemeralStorage *resource.Quantity `json:"ephemeralStorage,omitempty" protobuf:"bytes,3,opt,name=ephemeralStorage"`

	// PID is a kept number of processes.
	PID *resource.Quantity `json:"pid,omitempty" protobuf:"bytes,4,opt,name=pid"`
}

// MemorySwapConfiguration configures swap.
type MemorySwapConfiguration struct {
	// SwapBehavior says which workloads may use swap.
	SwapBehavior *SwapBehavior `json:"swapBehavior,omitempty" protobuf:"bytes,1,opt,name=swapBehavior"`
}

// SwapBehavior says which workloads may use swap.
type SwapBehavior string

const (
	// NoSwap lets no pod use swap.
	NoSwap SwapBehavior = "NoSwap"
	// LimitedSwap lets pods use a share of the swap.
	LimitedSwap SwapBehavior = "LimitedSwap"
	// UnlimitedSwap lets pods use all swap.
	UnlimitedSwap SwapBehavior = "UnlimitedSwap"
)
