package core

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func validateProvider(provider *core.Provider, path *field.Path) field.ErrorList {
	errs := required(provider.Type, path.Child("type"), "must name a provider")
	workers := path.Child("workers")
	errs = append(errs, unique(provider.Workers, workers, func(w core.Worker) string { return w.Name }, "name")...)
	if problems := validateDNSLabel(provider.Type, 63, path.Child("type")); provider.Type != "" {
		errs = append(errs, problems...)
	}
	controlPlanes := 0
	systemComponents := false
	for i := range provider.Workers {
		worker := &provider.Workers[i]
		errs = append(errs, validateWorker(worker, workers.Index(i))...)
		if worker.ControlPlane != nil {
			if controlPlanes++; controlPlanes > 1 {
				errs = append(errs, field.Forbidden(workers.Index(i).Child("controlPlane"), "only one pool can hold the control plane"))
			}
		}
		allowed := worker.SystemComponents == nil || worker.SystemComponents.Allow
		systemComponents = systemComponents || allowed && worker.Maximum > 0
	}
	if len(provider.Workers) > 0 && !systemComponents {
		errs = append(errs, field.Forbidden(workers, "at least one pool with machines must allow system components"))
	}
	return errs
}

// validateWorkerless reports settings that make no sense for a shoot without nodes.
func validateWorkerless(spec *core.ShootSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, part := range []struct {
		present bool
		path    *field.Path
	}{
		{spec.Addons != nil, path.Child("addons")},
		{spec.SystemComponents != nil, path.Child("systemComponents")},
		{spec.Provider.InfrastructureConfig != nil, path.Child("provider", "infrastructureConfig")},
		{spec.Provider.ControlPlaneConfig != nil, path.Child("provider", "controlPlaneConfig")},
		{spec.Provider.WorkersSettings != nil, path.Child("provider", "workersSettings")},
		{spec.Kubernetes.KubeProxy != nil, path.Child("kubernetes", "kubeProxy")},
		{spec.Kubernetes.KubeScheduler != nil, path.Child("kubernetes", "kubeScheduler")},
		{spec.Kubernetes.Kubelet != nil, path.Child("kubernetes", "kubelet")},
		{spec.Kubernetes.ClusterAutoscaler != nil, path.Child("kubernetes", "clusterAutoscaler")},
		{spec.Kubernetes.VerticalPodAutoscaler != nil, path.Child("kubernetes", "verticalPodAutoscaler")},
		{spec.Networking != nil && spec.Networking.Type != nil, path.Child("networking", "type")},
		{spec.Networking != nil && spec.Networking.ProviderConfig != nil, path.Child("networking", "providerConfig")},
		{spec.Networking != nil && spec.Networking.Pods != nil, path.Child("networking", "pods")},
		{spec.Networking != nil && spec.Networking.Nodes != nil, path.Child("networking", "nodes")},
		{spec.Maintenance != nil && spec.Maintenance.AutoUpdate != nil && spec.Maintenance.AutoUpdate.MachineImageVersion != nil,
			path.Child("maintenance", "autoUpdate", "machineImageVersion")},
	} {
		if part.present {
			errs = append(errs, field.Forbidden(part.path, "must not be set for a cluster without workers"))
		}
	}
	return errs
}
