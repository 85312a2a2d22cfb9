package metricsserver

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/gardener-up/gardener-up/embedded/kubeletmetrics"
)

type sample = kubeletmetrics.Sample

// complete reports whether a sample has all values for a usage.
func complete(s sample) bool { return !s.At.IsZero() && s.Memory > 0 }

// track is the last two samples of a node or container.
type track struct{ before, last sample }

// next appends a sample. A sample that is not newer replaces the last one. After a restart the track starts again.
func (t track) next(s sample) track {
	switch {
	case !s.At.After(t.last.At):
		return t
	case s.CPU < t.last.CPU || s.Started.After(t.last.Started) && !t.last.Started.IsZero():
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
	if before.At.IsZero() {
		age := t.last.At.Sub(t.last.Started)
		if t.last.Started.IsZero() || age < youngest || age > oldest {
			return usage{}, false
		}
		before.At = t.last.Started
	}
	window := t.last.At.Sub(before.At)
	if window <= 0 || !complete(t.last) {
		return usage{}, false
	}
	cores := float64(t.last.CPU-before.CPU) / float64(window)
	return usage{at: t.last.At, window: window, resources: corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewScaledQuantity(int64(cores*1e9), resource.Nano),
		corev1.ResourceMemory: *resource.NewQuantity(int64(t.last.Memory), resource.BinarySI),
	}}, true
}
