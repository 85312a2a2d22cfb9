package core

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// The possible numbers of zones of a control plane.
const (
	zonesOfZonal = 3
	zonesOfOther = 1
)

func validateControlPlane(controlPlane *core.ControlPlane, path *field.Path) field.ErrorList {
	if controlPlane == nil {
		return nil
	}
	var errs field.ErrorList
	zones := zonesOfOther
	if high := controlPlane.HighAvailability; high != nil {
		errs = append(errs, oneOf(high.FailureTolerance.Type, path.Child("highAvailability", "failureTolerance", "type"),
			core.FailureToleranceTypeNode, core.FailureToleranceTypeZone)...)
		if high.FailureTolerance.Type == core.FailureToleranceTypeZone {
			zones = zonesOfZonal
		}
	}
	errs = append(errs, uniqueText(controlPlane.Zones, path.Child("zones"))...)
	if have := len(controlPlane.Zones); have > 0 && have != zones {
		errs = append(errs, field.Invalid(path.Child("zones"), controlPlane.Zones, "must be one zone, or three if the control plane tolerates the failure of a zone"))
	}
	return errs
}

// validateWorkerControlPlane validates the worker pool that runs the control plane of a self-hosted shoot.
func validateWorkerControlPlane(controlPlane *core.WorkerControlPlane, path *field.Path) field.ErrorList {
	if controlPlane == nil {
		return nil
	}
	if controlPlane.Backup == nil {
		return nil
	}
	return required(controlPlane.Backup.Provider, path.Child("backup", "provider"), "must name a provider of backups")
}
