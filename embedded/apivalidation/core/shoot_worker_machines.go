package core

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func validateMachineController(worker *core.Worker, path *field.Path) field.ErrorList {
	settings := worker.MachineControllerManagerSettings
	if settings == nil {
		return nil
	}
	errs := notNegativeDurations(path,
		namedDuration{"machineDrainTimeout", settings.MachineDrainTimeout}, namedDuration{"machineHealthTimeout", settings.MachineHealthTimeout},
		namedDuration{"machineCreationTimeout", settings.MachineCreationTimeout}, namedDuration{"inPlaceUpdateTimeout", settings.MachineInPlaceUpdateTimeout},
		namedDuration{"machinePreserveTimeout", settings.MachinePreserveTimeout})
	errs = append(errs, minimum(settings.MaxEvictRetries, 0, path.Child("maxEvictRetries"))...)
	errs = append(errs, uniqueText(settings.NodeConditions, path.Child("nodeConditions"))...)
	return append(errs, between(settings.AutoPreserveFailedMachineMax, 0, max(worker.Maximum, 0), path.Child("autoPreserveFailedMachineMax"))...)
}

func validateWorkerAutoscaler(autoscaler *core.ClusterAutoscalerOptions, path *field.Path) field.ErrorList {
	if autoscaler == nil {
		return nil
	}
	errs := between(autoscaler.ScaleDownUtilizationThreshold, 0, 1, path.Child("scaleDownUtilizationThreshold"))
	errs = append(errs, between(autoscaler.ScaleDownGpuUtilizationThreshold, 0, 1, path.Child("scaleDownGpuUtilizationThreshold"))...)
	return append(errs, notNegativeDurations(path, namedDuration{"scaleDownUnneededTime", autoscaler.ScaleDownUnneededTime},
		namedDuration{"scaleDownUnreadyTime", autoscaler.ScaleDownUnreadyTime}, namedDuration{"maxNodeProvisionTime", autoscaler.MaxNodeProvisionTime})...)
}

// validateWorkersUpdate compares each worker pool with the old pool of the same name.
func validateWorkersUpdate(workers, old []core.Worker, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range workers {
		at := slices.IndexFunc(old, func(w core.Worker) bool { return w.Name == workers[i].Name })
		if at < 0 {
			continue
		}
		if slices.ContainsFunc(old[at].Zones, func(zone string) bool { return !slices.Contains(workers[i].Zones, zone) }) {
			errs = append(errs, field.Invalid(path.Index(i).Child("zones"), workers[i].Zones, "must keep the zones that the pool has"))
		}
		if inPlace(&workers[i]) != inPlace(&old[at]) {
			errs = append(errs, field.Invalid(path.Index(i).Child("updateStrategy"), ptr.Deref(workers[i].UpdateStrategy, core.AutoRollingUpdate), "must not change between rolling and in-place updates"))
		}
	}
	return errs
}

func inPlace(worker *core.Worker) bool {
	return worker.UpdateStrategy != nil && *worker.UpdateStrategy != core.AutoRollingUpdate
}
