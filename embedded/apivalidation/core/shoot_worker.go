package core

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// longestWorkerName leaves room for hashes in machine names.
const longestWorkerName = 15

var sysctl = regexp.MustCompile(`^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9*]([-_a-z0-9*]*[a-z0-9*])?)*$`)

var volumeSize = regexp.MustCompile(`^\d+Gi$`)

func validateWorker(worker *core.Worker, path *field.Path) field.ErrorList {
	errs := validateDNSLabel(worker.Name, longestWorkerName, path.Child("name"))
	errs = append(errs, required(worker.Machine.Type, path.Child("machine", "type"), "must name a machine type")...)
	if worker.Machine.Image != nil {
		errs = append(errs, required(worker.Machine.Image.Name, path.Child("machine", "image", "name"), "must name a machine image")...)
	}
	if worker.Machine.Architecture != nil {
		errs = append(errs, oneOf(*worker.Machine.Architecture, path.Child("machine", "architecture"), core.ArchitectureAMD64, core.ArchitectureARM64)...)
	}
	errs = append(errs, validateWorkerSize(worker, path)...)
	errs = append(errs, validateWorkerRollout(worker, path)...)
	errs = append(errs, validateVolumes(worker, path)...)
	errs = append(errs, metav1validation.ValidateLabels(worker.Labels, path.Child("labels"))...)
	errs = append(errs, validateNodeTaints(worker.Taints, path.Child("taints"))...)
	errs = append(errs, uniqueText(worker.Zones, path.Child("zones"))...)
	if worker.CRI != nil {
		errs = append(errs, oneOf(worker.CRI.Name, path.Child("cri", "name"), core.CRINameContainerD)...)
		errs = append(errs, unique(worker.CRI.ContainerRuntimes, path.Child("cri", "containerRuntimes"),
			func(r core.ContainerRuntime) string { return r.Type }, "type")...)
	}
	if worker.Kubernetes != nil && worker.Kubernetes.Kubelet != nil {
		errs = append(errs, validateKubelet(worker.Kubernetes.Kubelet, path.Child("kubernetes", "kubelet"))...)
	}
	errs = append(errs, ValidateBundle(worker.CABundle, path.Child("caBundle"))...)
	errs = append(errs, apivalidation.ValidateAnnotations(worker.Annotations, path.Child("annotations"))...)
	errs = append(errs, validateMachineController(worker, path.Child("machineControllerManager"))...)
	errs = append(errs, validateWorkerControlPlane(worker.ControlPlane, path.Child("controlPlane"))...)
	errs = append(errs, validateWorkerAutoscaler(worker.ClusterAutoscaler, path.Child("clusterAutoscaler"))...)
	for key := range worker.Sysctls {
		if !sysctl.MatchString(key) {
			errs = append(errs, field.Invalid(path.Child("sysctls").Key(key), key, "must be the name of a kernel parameter"))
		}
	}
	if worker.Priority != nil && *worker.Priority < -1 {
		errs = append(errs, field.Invalid(path.Child("priority"), *worker.Priority, "must be at least -1"))
	}
	return errs
}

func validateWorkerSize(worker *core.Worker, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if worker.Minimum < 0 {
		errs = append(errs, field.Invalid(path.Child("minimum"), worker.Minimum, "must not be negative"))
	}
	if worker.Maximum < worker.Minimum {
		errs = append(errs, field.Invalid(path.Child("maximum"), worker.Maximum, "must not be less than minimum"))
	}
	allowed := worker.SystemComponents == nil || worker.SystemComponents.Allow
	if allowed && worker.Maximum > 0 && int(worker.Maximum) < len(worker.Zones) {
		errs = append(errs, field.Invalid(path.Child("maximum"), worker.Maximum,
			"must not be less than the number of zones in a pool that allows system components"))
	}
	return errs
}

func validateWorkerRollout(worker *core.Worker, path *field.Path) field.ErrorList {
	errs := validateIntOrPercent(worker.MaxSurge, path.Child("maxSurge"))
	errs = append(errs, validateIntOrPercent(worker.MaxUnavailable, path.Child("maxUnavailable"))...)
	if isZero(worker.MaxSurge) && isZero(worker.MaxUnavailable) {
		errs = append(errs, field.Invalid(path.Child("maxUnavailable"), "0", "must not be 0 while maxSurge is 0"))
	}
	if percent, ok := percentOf(worker.MaxUnavailable); ok && percent > 100 {
		errs = append(errs, field.Invalid(path.Child("maxUnavailable"), worker.MaxUnavailable.String(), "must not be more than 100%"))
	}
	if worker.UpdateStrategy != nil {
		errs = append(errs, oneOf(*worker.UpdateStrategy, path.Child("updateStrategy"),
			core.AutoRollingUpdate, core.AutoInPlaceUpdate, core.ManualInPlaceUpdate)...)
	}
	strategy := ptr.Deref(worker.UpdateStrategy, "")
	if (strategy == core.AutoInPlaceUpdate || strategy == core.ManualInPlaceUpdate) && worker.MaxSurge != nil && !isZero(worker.MaxSurge) {
		errs = append(errs, field.Invalid(path.Child("maxSurge"), worker.MaxSurge.String(), "must be 0 for updates in place"))
	}
	return errs
}

func validateIntOrPercent(value *intstr.IntOrString, path *field.Path) field.ErrorList {
	if value == nil {
		return nil
	}
	if _, ok := percentOf(value); value.Type == intstr.String && !ok {
		return field.ErrorList{field.Invalid(path, value.String(), "must be a number or a percentage, for example 20%")}
	}
	if value.Type == intstr.Int && value.IntVal < 0 {
		return field.ErrorList{field.Invalid(path, value.IntVal, "must not be negative")}
	}
	return nil
}

func percentOf(value *intstr.IntOrString) (int, bool) {
	if value == nil || value.Type != intstr.String {
		return 0, false
	}
	number, ok := strings.CutSuffix(value.StrVal, "%")
	percent, err := strconv.Atoi(number)
	return percent, ok && err == nil && percent >= 0
}

func isZero(value *intstr.IntOrString) bool {
	if value == nil {
		return false
	}
	percent, ok := percentOf(value)
	return value.Type == intstr.Int && value.IntVal == 0 || ok && percent == 0
}

func validateVolumes(worker *core.Worker, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if worker.Volume != nil {
		errs = append(errs, validateVolumeSize(worker.Volume.VolumeSize, path.Child("volume", "size"))...)
		if worker.Volume.Name != nil {
			errs = append(errs, validateDNSLabel(*worker.Volume.Name, longestWorkerName, path.Child("volume", "name"))...)
		}
	} else if len(worker.DataVolumes) > 0 {
		errs = append(errs, field.Required(path.Child("volume"), "must be set together with dataVolumes"))
	}
	volumes := path.Child("dataVolumes")
	errs = append(errs, unique(worker.DataVolumes, volumes, func(v core.DataVolume) string { return v.Name }, "name")...)
	for i, volume := range worker.DataVolumes {
		errs = append(errs, validateDNSLabel(volume.Name, longestWorkerName, volumes.Index(i).Child("name"))...)
		errs = append(errs, validateVolumeSize(volume.VolumeSize, volumes.Index(i).Child("size"))...)
	}
	if name := worker.KubeletDataVolumeName; name != nil &&
		!slices.ContainsFunc(worker.DataVolumes, func(v core.DataVolume) bool { return v.Name == *name }) {
		errs = append(errs, field.Invalid(path.Child("kubeletDataVolumeName"), *name, "must name a data volume of the pool"))
	}
	return errs
}

func validateVolumeSize(size string, path *field.Path) field.ErrorList {
	if volumeSize.MatchString(size) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, size, "must be a number of Gi, for example 50Gi")}
}

func validateNodeTaints(taints []corev1.Taint, path *field.Path) field.ErrorList {
	errs := unique(taints, path, func(t corev1.Taint) string { return t.Key + ":" + string(t.Effect) }, "")
	for i, taint := range taints {
		errs = append(errs, validateTaintKey(taint.Key, path.Index(i).Child("key"))...)
		errs = append(errs, oneOf(taint.Effect, path.Index(i).Child("effect"),
			corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
	}
	return errs
}
