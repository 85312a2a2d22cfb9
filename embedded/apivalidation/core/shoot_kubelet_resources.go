package core

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// validateKubeletResources validates evictions and reserved resources.
func validateKubeletResources(kubelet *core.KubeletConfig, path *field.Path) field.ErrorList {
	errs := validateEviction(kubelet.EvictionHard, path.Child("evictionHard"))
	errs = append(errs, validateEviction(kubelet.EvictionSoft, path.Child("evictionSoft"))...)
	errs = append(errs, minimum(kubelet.EvictionMaxPodGracePeriod, 0, path.Child("evictionMaxPodGracePeriod"))...)
	errs = append(errs, atLeast(kubelet.EvictionPressureTransitionPeriod, 0, path.Child("evictionPressureTransitionPeriod"))...)
	if reclaim := kubelet.EvictionMinimumReclaim; reclaim != nil {
		errs = append(errs, notNegativeQuantities(path.Child("evictionMinimumReclaim"),
			namedQuantity{"memoryAvailable", reclaim.MemoryAvailable}, namedQuantity{"imageFSAvailable", reclaim.ImageFSAvailable},
			namedQuantity{"imageFSInodesFree", reclaim.ImageFSInodesFree}, namedQuantity{"nodeFSAvailable", reclaim.NodeFSAvailable},
			namedQuantity{"nodeFSInodesFree", reclaim.NodeFSInodesFree})...)
	}
	if grace := kubelet.EvictionSoftGracePeriod; grace != nil {
		errs = append(errs, notNegativeDurations(path.Child("evictionSoftGracePeriod"),
			namedDuration{"memoryAvailable", grace.MemoryAvailable}, namedDuration{"imageFSAvailable", grace.ImageFSAvailable},
			namedDuration{"imageFSInodesFree", grace.ImageFSInodesFree}, namedDuration{"nodeFSAvailable", grace.NodeFSAvailable},
			namedDuration{"nodeFSInodesFree", grace.NodeFSInodesFree})...)
	}
	for name, reserved := range map[string]*core.KubeletConfigReserved{"kubeReserved": kubelet.KubeReserved, "systemReserved": kubelet.SystemReserved} {
		if reserved != nil {
			errs = append(errs, notNegativeQuantities(path.Child(name), namedQuantity{"cpu", reserved.CPU}, namedQuantity{"memory", reserved.Memory},
				namedQuantity{"ephemeralStorage", reserved.EphemeralStorage}, namedQuantity{"pid", reserved.PID})...)
		}
	}
	return errs
}

func validateEviction(eviction *core.KubeletConfigEviction, path *field.Path) field.ErrorList {
	if eviction == nil {
		return nil
	}
	var errs field.ErrorList
	for name, threshold := range map[string]*string{
		"memoryAvailable": eviction.MemoryAvailable, "imageFSAvailable": eviction.ImageFSAvailable, "imageFSInodesFree": eviction.ImageFSInodesFree,
		"nodeFSAvailable": eviction.NodeFSAvailable, "nodeFSInodesFree": eviction.NodeFSInodesFree,
	} {
		if threshold != nil && !isThreshold(*threshold) {
			errs = append(errs, field.Invalid(path.Child(name), *threshold, "must be an amount or a percentage, for example 100Mi or 5%"))
		}
	}
	return errs
}

func isThreshold(text string) bool {
	if number, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := strconv.ParseFloat(number, 64)
		return err == nil && percent >= 0 && percent <= 100
	}
	amount, err := resource.ParseQuantity(text)
	return err == nil && amount.Sign() >= 0
}

// validateImagePulls validates how the kubelet pulls images.
func validateImagePulls(kubelet *core.KubeletConfig, path *field.Path) field.ErrorList {
	errs := minimum(kubelet.RegistryPullQPS, 0, path.Child("registryPullQPS"))
	errs = append(errs, minimum(kubelet.RegistryBurst, 0, path.Child("registryBurst"))...)
	errs = append(errs, minimum(kubelet.MaxParallelImagePulls, 1, path.Child("maxParallelImagePulls"))...)
	errs = append(errs, notNegativeDurations(path, namedDuration{"imagePullProgressDeadline", kubelet.ImagePullProgressDeadline},
		namedDuration{"imageMinimumGCAge", kubelet.ImageMinimumGCAge}, namedDuration{"imageMaximumGCAge", kubelet.ImageMaximumGCAge})...)
	errs = append(errs, notNegativeQuantities(path, namedQuantity{"containerLogMaxSize", kubelet.ContainerLogMaxSize})...)
	if pulls, serial := kubelet.MaxParallelImagePulls, kubelet.SerializeImagePulls; pulls != nil && *pulls > 1 && serial != nil && *serial {
		errs = append(errs, field.Invalid(path.Child("maxParallelImagePulls"), *pulls, "must not be more than 1 while serializeImagePulls is set"))
	}
	if least, most := kubelet.ImageMinimumGCAge, kubelet.ImageMaximumGCAge; least != nil && most != nil && most.Duration > 0 && most.Duration < least.Duration {
		errs = append(errs, field.Invalid(path.Child("imageMaximumGCAge"), most.Duration.String(), "must not be less than imageMinimumGCAge"))
	}
	policy, allowed := kubelet.ImagePullCredentialsVerificationPolicy, path.Child("preloadedImagesVerificationAllowlist")
	if policy != nil {
		errs = append(errs, oneOf(*policy, path.Child("imagePullCredentialsVerificationPolicy"),
			"NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages", "AlwaysVerify")...)
	}
	if len(kubelet.PreloadedImagesVerificationAllowlist) > 0 && (policy == nil || *policy != "NeverVerifyAllowlistedImages") {
		errs = append(errs, field.Forbidden(allowed, "needs the policy NeverVerifyAllowlistedImages"))
	}
	return append(errs, uniqueText(kubelet.PreloadedImagesVerificationAllowlist, allowed)...)
}
