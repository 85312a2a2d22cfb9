package core

import (
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// kubeletSkew is the number of minor versions that a kubelet may be older than its API server.
const kubeletSkew = 3

// positive is the least duration above zero.
const positive time.Duration = 1

func validateKubernetes(spec *core.ShootSpec, specPath *field.Path) field.ErrorList {
	path := specPath.Child("kubernetes")
	kubernetes := &spec.Kubernetes
	var errs field.ErrorList
	if kubernetes.Version == "" { // the admission of the API server chooses a version before
		errs = append(errs, field.Required(path.Child("version"), "must be a Kubernetes version"))
	} else {
		parsed, problems := parseVersion(kubernetes.Version, path.Child("version"))
		errs = append(errs, problems...)
		errs = append(errs, validateWorkerVersions(spec, parsed, specPath)...)
	}
	errs = append(errs, validateKubeAPIServer(kubernetes.KubeAPIServer, path.Child("kubeAPIServer"))...)
	errs = append(errs, validateKubeControllerManager(kubernetes.KubeControllerManager, path.Child("kubeControllerManager"))...)
	errs = append(errs, validateClusterAutoscaler(kubernetes.ClusterAutoscaler, path.Child("clusterAutoscaler"))...)
	errs = append(errs, validateVerticalPodAutoscaler(kubernetes.VerticalPodAutoscaler, path.Child("verticalPodAutoscaler"))...)
	errs = append(errs, validateETCD(kubernetes.ETCD, path.Child("etcd"))...)
	errs = append(errs, validateKubeScheduler(kubernetes.KubeScheduler, path.Child("kubeScheduler"))...)
	errs = append(errs, validateKubeProxy(kubernetes.KubeProxy, path.Child("kubeProxy"))...)
	if kubernetes.Kubelet != nil {
		errs = append(errs, validateKubelet(kubernetes.Kubelet, path.Child("kubelet"))...)
	}
	return errs
}

// validateWorkerVersions reports pools that are newer or too much older than the control plane.
func validateWorkerVersions(spec *core.ShootSpec, controlPlane *version.Version, path *field.Path) field.ErrorList {
	if controlPlane == nil {
		return nil
	}
	var errs field.ErrorList
	for i, worker := range spec.Provider.Workers {
		errs = append(errs, validateRuntimeVersion(&worker, controlPlane, path.Child("provider", "workers").Index(i))...)
		if worker.Kubernetes == nil || worker.Kubernetes.Version == nil {
			continue
		}
		at := path.Child("provider", "workers").Index(i).Child("kubernetes", "version")
		parsed, problems := parseVersion(*worker.Kubernetes.Version, at)
		errs = append(errs, problems...)
		switch {
		case parsed == nil:
		case controlPlane.LessThan(parsed):
			errs = append(errs, field.Invalid(at, *worker.Kubernetes.Version, "must not be newer than the control plane"))
		case parsed.Major() != controlPlane.Major() || controlPlane.Minor()-parsed.Minor() > kubeletSkew:
			errs = append(errs, field.Invalid(at, *worker.Kubernetes.Version,
				fmt.Sprintf("must not be more than %d minor versions older than the control plane", kubeletSkew)))
		}
	}
	return errs
}

// validateRuntimeVersion reports additional container runtimes that the Kubernetes version of a pool does not support.
func validateRuntimeVersion(worker *core.Worker, controlPlane *version.Version, path *field.Path) field.ErrorList {
	if worker.CRI == nil || len(worker.CRI.ContainerRuntimes) == 0 {
		return nil
	}
	of := controlPlane
	if worker.Kubernetes != nil && worker.Kubernetes.Version != nil {
		if parsed, err := version.ParseGeneric(*worker.Kubernetes.Version); err == nil {
			of = parsed
		}
	}
	since := version.MajorMinor(1, 14) // the first whose pods can choose among container runtimes
	if of.AtLeast(since) {
		return nil
	}
	return field.ErrorList{field.Forbidden(path.Child("cri", "containerRuntimes"), "further container runtimes need at least Kubernetes "+since.String())}
}

// validateVersionUpdate reports downgrades and skipped minor versions.
func validateVersionUpdate(text, old string, path *field.Path) field.ErrorList {
	if text == old || text == "" || old == "" {
		return nil
	}
	after, errs := parseVersion(text, path)
	before, _ := parseVersion(old, path)
	switch {
	case after == nil || before == nil:
		return errs
	case after.LessThan(before):
		return append(errs, field.Forbidden(path, "a cluster cannot go back to an older version"))
	case after.Major() != before.Major() || after.Minor() > before.Minor()+1:
		return append(errs, field.Forbidden(path, "a cluster cannot skip a minor version"))
	}
	return errs
}

func validateKubeScheduler(scheduler *core.KubeSchedulerConfig, path *field.Path) field.ErrorList {
	if scheduler == nil {
		return nil
	}
	errs := validateFeatureGates(scheduler.FeatureGates, path)
	if scheduler.Profile != nil {
		errs = append(errs, oneOf(*scheduler.Profile, path.Child("profile"), core.SchedulingProfileBalanced, core.SchedulingProfileBinPacking)...)
	}
	if volumes := scheduler.KubeMaxPDVols; volumes != nil {
		if number, err := strconv.Atoi(*volumes); err != nil || number < 1 {
			errs = append(errs, field.Invalid(path.Child("kubeMaxPDVols"), *volumes, "must be a number greater than 0"))
		}
	}
	return errs
}

func validateKubeProxy(proxy *core.KubeProxyConfig, path *field.Path) field.ErrorList {
	if proxy == nil {
		return nil
	}
	errs := validateFeatureGates(proxy.FeatureGates, path)
	if proxy.Mode != nil {
		errs = append(errs, oneOf(*proxy.Mode, path.Child("mode"), core.ProxyModeIPTables, core.ProxyModeIPVS, core.ProxyModeNFTables)...)
	}
	return errs
}

func validateKubeControllerManager(manager *core.KubeControllerManagerConfig, path *field.Path) field.ErrorList {
	if manager == nil {
		return nil
	}
	errs := validateFeatureGates(manager.FeatureGates, path)
	errs = append(errs, between(manager.NodeCIDRMaskSizeIPv6, 64, 124, path.Child("nodeCIDRMaskSizeIPv6"))...)
	errs = append(errs, atLeast(manager.PodEvictionTimeout, 0, path.Child("podEvictionTimeout"))...)
	if size := manager.NodeCIDRMaskSize; size != nil && (*size < 16 || *size > 28) && (*size < 64 || *size > 124) {
		errs = append(errs, field.Invalid(path.Child("nodeCIDRMaskSize"), *size, "must be between 16 and 28, or between 64 and 124 for IPv6"))
	}
	if hpa := manager.HorizontalPodAutoscalerConfig; hpa != nil {
		at := path.Child("horizontalPodAutoscaler")
		errs = append(errs, atLeast(hpa.CPUInitializationPeriod, time.Second, at.Child("cpuInitializationPeriod"))...)
		errs = append(errs, atLeast(hpa.DownscaleStabilization, time.Second, at.Child("downscaleStabilization"))...)
		errs = append(errs, atLeast(hpa.SyncPeriod, time.Second, at.Child("syncPeriod"))...)
		errs = append(errs, atLeast(hpa.InitialReadinessDelay, positive, at.Child("initialReadinessDelay"))...)
		if hpa.Tolerance != nil && *hpa.Tolerance <= 0 {
			errs = append(errs, field.Invalid(at.Child("tolerance"), *hpa.Tolerance, "must be greater than 0"))
		}
	}
	return append(errs, atLeast(manager.NodeMonitorGracePeriod, positive, path.Child("nodeMonitorGracePeriod"))...)
}

func atLeast(value *metav1.Duration, least time.Duration, path *field.Path) field.ErrorList {
	if value == nil || value.Duration >= least {
		return nil
	}
	problem := "must be at least " + least.String()
	switch least {
	case 0:
		problem = "must not be negative"
	case positive:
		problem = "must be greater than 0"
	}
	return field.ErrorList{field.Invalid(path, value.Duration.String(), problem)}
}
