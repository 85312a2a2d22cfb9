package hibernation

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Trigger is a time at which a schedule hibernates the cluster or wakes it up.
type Trigger struct {
	At    time.Time
	Sleep bool
}

// Triggers returns the latest trigger after begin and not after now, nil if there is none, and the time of the next
// trigger after now, zero if there is none.
func Triggers(schedules []gardencorev1beta1.HibernationSchedule, begin, now time.Time) (latest *Trigger, next time.Time, err error) {
	for i, schedule := range schedules {
		location, err := time.LoadLocation(ptr.Deref(schedule.Location, "UTC"))
		if err != nil {
			return nil, time.Time{}, fmt.Errorf("schedule %d: load location: %w", i, err)
		}
		for _, one := range []struct {
			expression *string
			sleep      bool
		}{{schedule.Start, true}, {schedule.End, false}} {
			if one.expression == nil {
				continue
			}
			times, err := cron.ParseStandard(*one.expression)
			if err != nil {
				return nil, time.Time{}, fmt.Errorf("schedule %d: parse %q: %w", i, *one.expression, err)
			}
			last, following := around(times, begin.In(location), now.In(location))
			if !last.IsZero() && (latest == nil || last.After(latest.At)) {
				latest = &Trigger{At: last, Sleep: one.sleep}
			}
			if !following.IsZero() && (next.IsZero() || following.Before(next)) {
				next = following
			}
		}
	}
	return latest, next, nil
}

// around returns the last time after begin and not after now, and the first time after now. cron returns the zero time
// if a schedule has no time within years.
func around(times cron.Schedule, begin, now time.Time) (last, next time.Time) {
	for next = times.Next(begin); !next.IsZero() && !next.After(now); next = times.Next(next) {
		last = next
	}
	return last, next
}
