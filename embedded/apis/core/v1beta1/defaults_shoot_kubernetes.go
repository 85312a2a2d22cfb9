package v1beta1

import (
	"math/bits"
	"slices"
	"time"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// defaultMaxPods is the number of pods on a node where the kubelet configuration names none.
const defaultMaxPods = 110

// setControlPlaneComponents sets what every cluster has.
func setControlPlaneComponents(obj *Kubernetes) {
	defaulting.Pointer(&obj.KubeAPIServer, KubeAPIServerConfig{})
	defaulting.Pointer(&obj.KubeControllerManager, KubeControllerManagerConfig{})
	defaulting.Pointer(&obj.EnableStaticTokenKubeconfig, versionBefore(obj.Version, 26))
	if versionBefore(obj.Version, 25) {
		defaulting.Pointer(&obj.AllowPrivilegedContainers, true)
	}
}

// SetDefaults_KubeAPIServerConfig sets limits, the life of events and the log level.
func SetDefaults_KubeAPIServerConfig(obj *KubeAPIServerConfig) {
	defaulting.Pointer(&obj.Requests, APIServerRequests{})
	defaulting.Pointer(&obj.Requests.MaxNonMutatingInflight, 400)
	defaulting.Pointer(&obj.Requests.MaxMutatingInflight, 200)
	setDuration(&obj.EventTTL, time.Hour)
	defaulting.Pointer(&obj.Logging, APIServerLogging{})
	defaulting.Pointer(&obj.Logging.Verbosity, 2)
	if obj.EncryptionConfig != nil {
		defaulting.Pointer(&obj.EncryptionConfig.Provider.Type, EncryptionProviderTypeAESCBC)
	}
}

// SetDefaults_HorizontalPodAutoscalerConfig completes a configuration that a user began.
func SetDefaults_HorizontalPodAutoscalerConfig(obj *HorizontalPodAutoscalerConfig) {
	setDuration(&obj.CPUInitializationPeriod, 5*time.Minute)
	setDuration(&obj.DownscaleStabilization, 5*time.Minute)
	setDuration(&obj.InitialReadinessDelay, 30*time.Second)
	setDuration(&obj.SyncPeriod, 30*time.Second)
	defaulting.Pointer(&obj.Tolerance, 0.1)
}

// setNodeComponents sets what clusters with nodes have in addition.
func setNodeComponents(obj *ShootSpec) {
	k8s := &obj.Kubernetes
	defaulting.Pointer(&k8s.KubeAPIServer.DefaultNotReadyTolerationSeconds, 300)
	defaulting.Pointer(&k8s.KubeAPIServer.DefaultUnreachableTolerationSeconds, 300)

	if versionBefore(k8s.Version, 27) {
		setDuration(&k8s.KubeControllerManager.NodeMonitorGracePeriod, 2*time.Minute)
	}
	setDuration(&k8s.KubeControllerManager.NodeMonitorGracePeriod, 40*time.Second)
	defaulting.Pointer(&k8s.KubeControllerManager.NodeCIDRMaskSize, nodeCIDRMaskSize(obj))

	defaulting.Pointer(&k8s.KubeScheduler, KubeSchedulerConfig{})
	defaulting.Pointer(&k8s.KubeScheduler.Profile, SchedulingProfileBalanced)
	defaulting.Pointer(&k8s.KubeProxy, KubeProxyConfig{})
	defaulting.Pointer(&k8s.KubeProxy.Mode, ProxyModeIPTables)
	defaulting.Pointer(&k8s.KubeProxy.Enabled, true)
	defaulting.Pointer(&k8s.Kubelet, KubeletConfig{})
}

// nodeCIDRMaskSize gives every node twice as many addresses as it may have pods, so that addresses are not reused at once.
func nodeCIDRMaskSize(obj *ShootSpec) int32 {
	if obj.Networking != nil && slices.Equal(obj.Networking.IPFamilies, []IPFamily{IPFamilyIPv6}) {
		return 64
	}
	maxPods := maxPodsOf(obj.Kubernetes.Kubelet)
	for _, worker := range obj.Provider.Workers {
		if worker.Kubernetes != nil && worker.Kubernetes.Kubelet != nil {
			maxPods = max(maxPods, maxPodsOf(worker.Kubernetes.Kubelet))
		}
	}
	addresses := uint32(max(2*maxPods, 1))
	return int32(max(16, min(28, 32-bits.Len32(addresses-1))))
}

func maxPodsOf(kubelet *KubeletConfig) int32 {
	if kubelet == nil || kubelet.MaxPods == nil {
		return defaultMaxPods
	}
	return *kubelet.MaxPods
}
