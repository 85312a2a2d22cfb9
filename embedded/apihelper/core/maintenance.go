package core

import (
	"fmt"
	"time"

	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// windowLayout is the format of begin and end of a maintenance window.
const windowLayout = "150405-0700"

// TimeWindow is a daily time window. It may span midnight.
type TimeWindow struct {
	begin  time.Duration // since midnight UTC
	length time.Duration
}

// ParseTimeWindow reads begin and end in the form HHMMSS+ZZZZ.
func ParseTimeWindow(window core.MaintenanceTimeWindow) (TimeWindow, error) {
	begin, err := sinceMidnight(window.Begin)
	if err != nil {
		return TimeWindow{}, fmt.Errorf("begin of maintenance window: %w", err)
	}
	end, err := sinceMidnight(window.End)
	if err != nil {
		return TimeWindow{}, fmt.Errorf("end of maintenance window: %w", err)
	}
	return TimeWindow{begin: begin, length: (end - begin + 24*time.Hour) % (24 * time.Hour)}, nil
}

func sinceMidnight(text string) (time.Duration, error) {
	parsed, err := time.Parse(windowLayout, text)
	if err != nil {
		return 0, fmt.Errorf("%q is not of the form HHMMSS+ZZZZ", text)
	}
	return ofDay(parsed), nil
}

func ofDay(t time.Time) time.Duration {
	utc := t.UTC()
	return utc.Sub(time.Date(utc.Year(), utc.Month(), utc.Day(), 0, 0, 0, 0, time.UTC))
}

// Length returns the duration of the window.
func (w TimeWindow) Length() time.Duration { return w.length }

// Minute returns the time of day in UTC of a minute of the window, which a random number chooses. The zero window is the whole day.
func (w TimeWindow) Minute(random uint32) (hour, minute int) {
	length := w.length
	if length < time.Minute {
		length = 24 * time.Hour
	}
	at := (w.begin + time.Duration(random%uint32(length/time.Minute))*time.Minute) % (24 * time.Hour)
	return int(at / time.Hour), int(at % time.Hour / time.Minute)
}

// Contains reports whether a time is inside the window. The begin belongs to the window, the end does not.
func (w TimeWindow) Contains(t time.Time) bool {
	return (ofDay(t)-w.begin+24*time.Hour)%(24*time.Hour) < w.length
}

// NextBegin returns the first begin of the window after a time.
func (w TimeWindow) NextBegin(after time.Time) time.Time {
	utc := after.UTC()
	begin := time.Date(utc.Year(), utc.Month(), utc.Day(), 0, 0, 0, 0, time.UTC).Add(w.begin)
	if !begin.After(after) {
		begin = begin.Add(24 * time.Hour)
	}
	return begin
}

// ConfinesChanges reports whether changes of the specification of a Shoot are made in its maintenance window only.
func ConfinesChanges(shoot *core.Shoot) bool {
	return shoot.Spec.Maintenance != nil && ptr.Deref(shoot.Spec.Maintenance.ConfineSpecUpdateRollout, false)
}
