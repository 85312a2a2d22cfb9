package core

import (
	"net/mail"
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func validateHibernation(hibernation *core.Hibernation, path *field.Path) field.ErrorList {
	if hibernation == nil {
		return nil
	}
	var errs field.ErrorList
	path = path.Child("schedules")
	seen := map[string]bool{}
	for i, schedule := range hibernation.Schedules {
		at := path.Index(i)
		if schedule.Start == nil && schedule.End == nil {
			errs = append(errs, field.Required(at, "must have a start, an end or both"))
		}
		errs = append(errs, validateCron(schedule.Start, at.Child("start"), seen)...)
		errs = append(errs, validateCron(schedule.End, at.Child("end"), seen)...)
		if schedule.Location != nil {
			if _, err := time.LoadLocation(*schedule.Location); err != nil {
				errs = append(errs, field.Invalid(at.Child("location"), *schedule.Location, "must be the name of a time zone, for example Europe/Berlin"))
			}
		}
	}
	return errs
}

// validateCron reports expressions that are not cron expressions of five fields, and duplicates.
func validateCron(expression *string, path *field.Path, seen map[string]bool) field.ErrorList {
	if expression == nil {
		return nil
	}
	if _, err := cron.ParseStandard(*expression); err != nil {
		return field.ErrorList{field.Invalid(path, *expression, "must be a cron expression of five fields: "+err.Error())}
	}
	if seen[*expression] {
		return field.ErrorList{field.Duplicate(path, *expression)}
	}
	seen[*expression] = true
	return nil
}

func validateMonitoring(monitoring *core.Monitoring, path *field.Path) field.ErrorList {
	if monitoring == nil || monitoring.Alerting == nil {
		return nil
	}
	path = path.Child("alerting", "emailReceivers")
	errs := uniqueText(monitoring.Alerting.EmailReceivers, path)
	for i, receiver := range monitoring.Alerting.EmailReceivers {
		if address, err := mail.ParseAddress(receiver); err != nil || address.Address != receiver {
			errs = append(errs, field.Invalid(path.Index(i), receiver, "must be an e-mail address"))
		}
	}
	return errs
}
