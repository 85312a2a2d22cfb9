package core

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	corehelper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Bounds of the length of a maintenance window and of the period of automatic rotations.
const (
	shortestWindow   = 30 * time.Minute
	longestWindow    = 6 * time.Hour
	shortestRotation = 30 * time.Minute
	longestRotation  = 90 * 24 * time.Hour
)

func validateMaintenance(maintenance *core.Maintenance, path *field.Path) field.ErrorList {
	if maintenance == nil {
		return field.ErrorList{field.Required(path, "must not be empty")}
	}
	var errs field.ErrorList
	if maintenance.AutoUpdate == nil {
		errs = append(errs, field.Required(path.Child("autoUpdate"), "must not be empty"))
	}
	if maintenance.TimeWindow == nil {
		errs = append(errs, field.Required(path.Child("timeWindow"), "must not be empty"))
	} else {
		errs = append(errs, validateTimeWindow(*maintenance.TimeWindow, path.Child("timeWindow"))...)
	}
	if rotation := maintenance.AutoRotation; rotation != nil && rotation.Credentials != nil {
		at := path.Child("autoRotation", "credentials")
		errs = append(errs, validateRotation(rotation.Credentials.Observability, at.Child("observability"))...)
		errs = append(errs, validateRotation(rotation.Credentials.SSHKeypair, at.Child("sshKeypair"))...)
		errs = append(errs, validateRotation(rotation.Credentials.ETCDEncryptionKey, at.Child("etcdEncryptionKey"))...)
	}
	return errs
}

func validateTimeWindow(window core.MaintenanceTimeWindow, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for name, text := range map[string]string{"begin": window.Begin, "end": window.End} {
		if _, err := corehelper.ParseTimeWindow(core.MaintenanceTimeWindow{Begin: text, End: text}); err != nil {
			errs = append(errs, field.Invalid(path.Child(name), text, "must be of the form HHMMSS+ZZZZ"))
		}
	}
	parsed, err := corehelper.ParseTimeWindow(window)
	if err != nil {
		return errs
	}
	if length := parsed.Length(); length < shortestWindow || length > longestWindow {
		return field.ErrorList{field.Invalid(path, window.Begin+" to "+window.End,
			"must be between 30 minutes and 6 hours long, not "+length.String())}
	}
	return nil
}

func validateRotation(rotation *core.MaintenanceRotationConfig, path *field.Path) field.ErrorList {
	if rotation == nil || rotation.RotationPeriod == nil || rotation.RotationPeriod.Duration == 0 {
		return nil
	}
	if period := rotation.RotationPeriod.Duration; period < shortestRotation || period > longestRotation {
		return field.ErrorList{field.Invalid(path.Child("rotationPeriod"), period.String(), "must be 0, or between 30 minutes and 90 days")}
	}
	return nil
}
