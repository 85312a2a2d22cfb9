package metricsserver

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// sample is the cumulative usage of a node or container at a point in time.
type sample struct {
	at      time.Time
	started time.Time     // zero if it is not known
	cpu     time.Duration // since the start
	memory  uint64        // bytes at that time
}

// complete reports whether the sample has all values for a usage.
func (s sample) complete() bool { return !s.at.IsZero() && s.memory > 0 }

// track is the last two samples of a node or container.
type track struct{ before, last sample }

// next appends a sample. A sample that is not newer replaces the last one. After a restart the track starts again.
func (t track) next(s sample) track {
	switch {
	case !s.at.After(t.last.at):
		return t
	case s.cpu < t.last.cpu || s.started.After(t.last.started) && !t.last.started.IsZero():
		return track{last: s}
	}
	return track{before: t.last, last: s}
}

// For a container that has just started, one sample is enough: before the start it used nothing.
const (
	youngest = 10 * time.Second
	oldest   = 2 * time.Minute
)

// usage is the mean CPU usage between two samples and the memory at the end.
type usage struct {
	at        time.Time
	window    time.Duration
	resources corev1.ResourceList
}

// usage is unknown until there are two samples.
func (t track) usage() (usage, bool) {
	before := t.before
	if before.at.IsZero() {
		age := t.last.at.Sub(t.last.started)
		if t.last.started.IsZero() || age < youngest || age > oldest {
			return usage{}, false
		}
		before.at = t.last.started
	}
	window := t.last.at.Sub(before.at)
	if window <= 0 || !t.last.complete() {
		return usage{}, false
	}
	cores := float64(t.last.cpu-before.cpu) / float64(window)
	return usage{at: t.last.at, window: window, resources: corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewScaledQuantity(int64(cores*1e9), resource.Nano),
		corev1.ResourceMemory: *resource.NewQuantity(int64(t.last.memory), resource.BinarySI),
	}}, true
}
