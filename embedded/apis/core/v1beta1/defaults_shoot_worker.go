package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/gardener-up/gardener-up/embedded/apis/defaulting"
)

// SetDefaults_Worker sets strategy, rollout bounds and container runtime of a pool.
func SetDefaults_Worker(obj *Worker) {
	defaulting.Pointer(&obj.UpdateStrategy, AutoRollingUpdate)
	surge, unavailable := 1, 0
	if *obj.UpdateStrategy != AutoRollingUpdate {
		surge, unavailable = 0, 1
		defaulting.Pointer(&obj.MachineControllerManagerSettings, MachineControllerManagerSettings{})
		defaulting.Pointer(&obj.MachineControllerManagerSettings.DisableHealthTimeout, true)
	}
	defaulting.Pointer(&obj.MaxSurge, intstr.FromInt(surge))
	defaulting.Pointer(&obj.MaxUnavailable, intstr.FromInt(unavailable))
	defaulting.Pointer(&obj.CRI, CRI{Name: CRINameContainerD})
	defaulting.Pointer(&obj.SystemComponents, WorkerSystemComponents{Allow: true})
	defaulting.Pointer(&obj.Machine.Architecture, ArchitectureAMD64)
}

// SetDefaults_KubeletConfig sets reservations and the handling of images and swap.
func SetDefaults_KubeletConfig(obj *KubeletConfig) {
	defaulting.Pointer(&obj.FailSwapOn, true)
	defaulting.Pointer(&obj.ImageGCHighThresholdPercent, 50)
	defaulting.Pointer(&obj.ImageGCLowThresholdPercent, 40)
	defaulting.Pointer(&obj.SerializeImagePulls, obj.MaxParallelImagePulls == nil || *obj.MaxParallelImagePulls < 2)

	defaulting.Pointer(&obj.KubeReserved, KubeletConfigReserved{PID: quantity("20k")})
	defaulting.Pointer(&obj.KubeReserved.CPU, resource.MustParse("80m"))
	defaulting.Pointer(&obj.KubeReserved.Memory, resource.MustParse("1Gi"))

	if obj.FeatureGates["NodeSwap"] && !*obj.FailSwapOn {
		defaulting.Pointer(&obj.MemorySwap, MemorySwapConfiguration{})
		defaulting.Pointer(&obj.MemorySwap.SwapBehavior, LimitedSwap)
	}
}

func quantity(text string) *resource.Quantity {
	parsed := resource.MustParse(text)
	return &parsed
}
