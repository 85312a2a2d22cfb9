package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kubernetes is version and configuration of the Kubernetes components of a cluster.
type Kubernetes struct {
	// AllowPrivilegedContainers permits privileged containers up to Kubernetes 1.24.
	AllowPrivilegedContainers *bool `json:"allowPrivilegedContainers,omitempty" protobuf:"varint,1,opt,name=allowPrivilegedContainers"`

	// ClusterAutoscaler configures the cluster autoscaler.
	ClusterAutoscaler *ClusterAutoscaler `json:"clusterAutoscaler,omitempty" protobuf:"bytes,2,opt,name=clusterAutoscaler"`

	// KubeAPIServer configures the API server.
	KubeAPIServer *KubeAPIServerConfig `json:"kubeAPIServer,omitempty" protobuf:"bytes,3,opt,name=kubeAPIServer"`

	// KubeControllerManager configures the controller manager.
	KubeControllerManager *KubeControllerManagerConfig `json:"kubeControllerManager,omitempty" protobuf:"bytes,4,opt,name=kubeControllerManager"`

	// KubeScheduler configures the scheduler.
	KubeScheduler *KubeSchedulerConfig `json:"kubeScheduler,omitempty" protobuf:"bytes,5,opt,name=kubeScheduler"`

	// KubeProxy configures kube-proxy.
	KubeProxy *KubeProxyConfig `json:"kubeProxy,omitempty" protobuf:"bytes,6,opt,name=kubeProxy"`

	// Kubelet configures the kubelet of all pools.
	Kubelet *KubeletConfig `json:"kubelet,omitempty" protobuf:"bytes,7,opt,name=kubelet"`

	// Version is the Kubernetes version; the newest supported one by default. A missing patch number means the newest
	// patch.
	Version string `json:"version,omitempty" protobuf:"bytes,8,opt,name=version"`

	// VerticalPodAutoscaler configures the vertical pod autoscaler.
	VerticalPodAutoscaler *VerticalPodAutoscaler `json:"verticalPodAutoscaler,omitempty" protobuf:"bytes,9,opt,name=verticalPodAutoscaler"`

	// EnableStaticTokenKubeconfig asks for a kubeconfig with a static token; refused from Kubernetes 1.27 on.
	EnableStaticTokenKubeconfig *bool `json:"enableStaticTokenKubeconfig,omitempty" protobuf:"varint,10,opt,name=enableStaticTokenKubeconfig"`

	// ETCD configures both etcd clusters.
	ETCD *ETCD `json:"etcd,omitempty" protobuf:"bytes,11,opt,name=etcd"`
}

// KubernetesConfig is what the Kubernetes components have in common.
type KubernetesConfig struct {
	// FeatureGates switches features on and off.
	FeatureGates map[string]bool `json:"featureGates,omitempty" protobuf:"bytes,1,rep,name=featureGates"`
}

// KubeControllerManagerConfig configures the controller manager.
type KubeControllerManagerConfig struct {
	// KubernetesConfig holds the feature gates.
	KubernetesConfig `json:",inline" protobuf:"bytes,1,opt,name=kubernetesConfig"`

	// HorizontalPodAutoscalerConfig configures the horizontal pod autoscaler.
	HorizontalPodAutoscalerConfig *HorizontalPodAutoscalerConfig `json:"horizontalPodAutoscaler,omitempty" protobuf:"bytes,2,opt,name=horizontalPodAutoscaler"`

	// NodeCIDRMaskSize is the mask of a node's share of the pod range; fixed.
	NodeCIDRMaskSize *int32 `json:"nodeCIDRMaskSize,omitempty" protobuf:"varint,3,opt,name=nodeCIDRMaskSize"`

	// PodEvictionTimeout is how long pods stay on a failed node; a setting of older versions.
	PodEvictionTimeout *metav1.Duration `json:"podEvictionTimeout,omitempty" protobuf:"bytes,4,opt,name=podEvictionTimeout"`

	// NodeMonitorGracePeriod is how long a silent node counts as healthy.
	NodeMonitorGracePeriod *metav1.Duration `json:"nodeMonitorGracePeriod,omitempty" protobuf:"bytes,5,opt,name=nodeMonitorGracePeriod"`

	// NodeCIDRMaskSizeIPv6 is the mask of a node's share of the IPv6 pod range; fixed once set.
	NodeCIDRMaskSizeIPv6 *int32 `json:"nodeCIDRMaskSizeIPv6,omitempty" protobuf:"varint,6,opt,name=nodeCIDRMaskSizeIPv6"`
}

// HorizontalPodAutoscalerConfig configures the horizontal pod autoscaler.
type HorizontalPodAutoscalerConfig struct {
	// CPUInitializationPeriod is how long CPU samples of a starting pod are ignored.
	CPUInitializationPeriod *metav1.Duration `json:"cpuInitializationPeriod,omitempty" protobuf:"bytes,1,opt,name=cpuInitializationPeriod"`

	// DownscaleStabilization is the period whose highest recommendation limits scaling down.
	DownscaleStabilization *metav1.Duration `json:"downscaleStabilization,omitempty" protobuf:"bytes,3,opt,name=downscaleStabilization"`

	// InitialReadinessDelay is the time after the start of a pod in which readiness changes count as initial.
	InitialReadinessDelay *metav1.Duration `json:"initialReadinessDelay,omitempty" protobuf:"bytes,4,opt,name=initialReadinessDelay"`

	// SyncPeriod is the time between two evaluations.
	SyncPeriod *metav1.Duration `json:"syncPeriod,omitempty" protobuf:"bytes,5,opt,name=syncPeriod"`

	// Tolerance is the relative deviation that is not acted upon.
	Tolerance *float64 `json:"tolerance,omitempty" protobuf:"fixed64,6,opt,name=tolerance"`
}

// KubeSchedulerConfig configures the scheduler of a cluster.
type KubeSchedulerConfig struct {
	// KubernetesConfig holds the feature gates.
	KubernetesConfig `json:",inline" protobuf:"bytes,1,opt,name=kubernetesConfig"`

	// KubeMaxPDVols is the largest number of attached volumes per node; a setting of older versions.
	KubeMaxPDVols *string `json:"kubeMaxPDVols,omitempty" protobuf:"bytes,2,opt,name=kubeMaxPDVols"`

	// Profile is how nodes are chosen; balanced by default.
	Profile *SchedulingProfile `json:"profile,omitempty" protobuf:"bytes,3,opt,name=profile"`
}

// SchedulingProfile is how the scheduler chooses nodes.
type SchedulingProfile string

const (
	// SchedulingProfileBalanced spreads pods over the nodes.
	SchedulingProfileBalanced SchedulingProfile = "balanced"
	// SchedulingProfileBinPacking fills nodes one after the other.
	SchedulingProfileBinPacking SchedulingProfile = "bin-packing"
)

// KubeProxyConfig configures kube-proxy.
type KubeProxyConfig struct {
	// KubernetesConfig holds the feature gates.
	KubernetesConfig `json:",inline" protobuf:"bytes,1,opt,name=kubernetesConfig"`

	// Mode is how services are implemented; IPTables by default.
	Mode *ProxyMode `json:"mode,omitempty" protobuf:"bytes,2,opt,name=mode"`

	// Enabled says whether kube-proxy is deployed; true by default.
	Enabled *bool `json:"enabled,omitempty" protobuf:"varint,3,opt,name=enabled"`
}

// ProxyMode is how kube-proxy implements services.
type ProxyMode string

const (
	// ProxyModeIPTables uses iptables rules.
	ProxyModeIPTables ProxyMode = "IPTables"
	// ProxyModeIPVS uses IP virtual servers.
	ProxyModeIPVS ProxyMode = "IPVS"
	// ProxyModeNFTables uses nftables rules.
	ProxyModeNFTables ProxyMode = "NFTables"
)

// ETCD configures both etcd clusters of a control plane.
type ETCD struct {
	// Main configures etcd for everything but events.
	Main *ETCDConfig `json:"main,omitempty" protobuf:"bytes,1,opt,name=main"`

	// Events configures etcd for events.
	Events *ETCDConfig `json:"events,omitempty" protobuf:"bytes,2,opt,name=events"`
}

// ETCDConfig configures an etcd cluster.
type ETCDConfig struct {
	// Autoscaling bounds its scaling.
	Autoscaling *ControlPlaneAutoscaling `json:"autoscaling,omitempty" protobuf:"bytes,1,opt,name=autoscaling"`
}

// ControlPlaneAutoscaling bounds the scaling of a control plane component.
type ControlPlaneAutoscaling struct {
	// MinAllowed is the lower bound for cpu and memory.
	MinAllowed corev1.ResourceList `json:"minAllowed" protobuf:"bytes,1,opt,name=minAllowed"`
}
