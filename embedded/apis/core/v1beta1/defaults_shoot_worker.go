package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// SetDefaults_Worker sets strategy, rollout bounds and container runtime of a pool.
func SetDefaults_Worker(obj *Worker) {
	setDefault(&obj.UpdateStrategy, AutoRollingUpdate)
	surge, unavailable := 1, 0
	if *obj.UpdateStrategy != AutoRollingUpdate {
		surge, unavailable = 0, 1
		setDefault(&obj.MachineControllerManagerSettings, MachineControllerManagerSettings{})
		setDefault(&obj.MachineControllerManagerSettings.DisableHealthTimeout, true)
	}
	setDefault(&obj.MaxSurge, intstr.FromInt(surge))
	setDefault(&obj.MaxUnavailable, intstr.FromInt(unavailable))
	setDefault(&obj.CRI, CRI{Name: CRINameContainerD})
	setDefault(&obj.SystemComponents, WorkerSystemComponents{Allow: true})
	setDefault(&obj.Machine.Architecture, ArchitectureAMD64)
}

// SetDefaults_KubeletConfig sets reservations and the handling of images and swap.
func SetDefaults_KubeletConfig(obj *KubeletConfig) {
	setDefault(&obj.FailSwapOn, true)
	setDefault(&obj.ImageGCHighThresholdPercent, 50)
	setDefault(&obj.ImageGCLowThresholdPercent, 40)
	setDefault(&obj.SerializeImagePulls, obj.MaxParallelImagePulls == nil || *obj.MaxParallelImagePulls < 2)

	setDefault(&obj.KubeReserved, KubeletConfigReserved{PID: quantity("20k")})
	setDefault(&obj.KubeReserved.CPU, resource.MustParse("80m"))
	setDefault(&obj.KubeReserved.Memory, resource.MustParse("1Gi"))

	if obj.FeatureGates["NodeSwap"] && !*obj.FailSwapOn {
		setDefault(&obj.MemorySwap, MemorySwapConfiguration{})
		setDefault(&obj.MemorySwap.SwapBehavior, LimitedSwap)
	}
}

func quantity(text string) *resource.Quantity {
	parsed := resource.MustParse(text)
	return &parsed
}
