package core

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func validateKubelet(kubelet *core.KubeletConfig, path *field.Path) field.ErrorList {
	errs := validateFeatureGates(kubelet.FeatureGates, path)
	errs = append(errs, validateKubeletResources(kubelet, path)...)
	errs = append(errs, validateImagePulls(kubelet, path)...)
	if policy := kubelet.CPUManagerPolicy; policy != nil {
		errs = append(errs, oneOf(*policy, path.Child("cpuManagerPolicy"), "none", "static")...)
	}
	if pods := kubelet.MaxPods; pods != nil && *pods < 1 {
		errs = append(errs, field.Invalid(path.Child("maxPods"), *pods, "must be greater than 0"))
	}
	if limit := kubelet.PodPIDsLimit; limit != nil && *limit < 100 {
		errs = append(errs, field.Invalid(path.Child("podPidsLimit"), *limit, "must be at least 100"))
	}
	errs = append(errs, validateImageCollection(kubelet, path)...)
	if files := kubelet.ContainerLogMaxFiles; files != nil && *files < 2 {
		errs = append(errs, field.Invalid(path.Child("containerLogMaxFiles"), *files, "must be at least 2"))
	}
	if idle := kubelet.StreamingConnectionIdleTimeout; idle != nil && (idle.Duration < 30*time.Second || idle.Duration > 4*time.Hour) {
		errs = append(errs, field.Invalid(path.Child("streamingConnectionIdleTimeout"), idle.Duration.String(), "must be between 30s and 4h"))
	}
	if kubelet.MemorySwap != nil && (kubelet.FailSwapOn == nil || *kubelet.FailSwapOn) {
		errs = append(errs, field.Forbidden(path.Child("memorySwap"), "must not be set while failSwapOn is set"))
	}
	if swap := kubelet.MemorySwap; swap != nil && swap.SwapBehavior != nil {
		errs = append(errs, oneOf(*swap.SwapBehavior, path.Child("memorySwap", "swapBehavior"), core.NoSwap, core.LimitedSwap, core.UnlimitedSwap)...)
	}
	return errs
}

func validateImageCollection(kubelet *core.KubeletConfig, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	high, low := kubelet.ImageGCHighThresholdPercent, kubelet.ImageGCLowThresholdPercent
	for name, percent := range map[string]*int32{"imageGCHighThresholdPercent": high, "imageGCLowThresholdPercent": low} {
		if percent != nil && (*percent < 0 || *percent > 100) {
			errs = append(errs, field.Invalid(path.Child(name), *percent, "must be between 0 and 100"))
		}
	}
	if high != nil && low != nil && *low >= *high {
		errs = append(errs, field.Invalid(path.Child("imageGCLowThresholdPercent"), *low, "must be less than imageGCHighThresholdPercent"))
	}
	return errs
}
