package component

import "time"

// DefaultStopTimeout is the time to stop for a part that sets no StopTimeout. An API server that is told to stop while it starts, on a machine whose
// processors are busy, needs half of it.
const DefaultStopTimeout = time.Minute

// DefaultReadyTimeout is the time from Start until Ready for a part that sets no ReadyTimeout.
const DefaultReadyTimeout = 2 * time.Minute

// Part is a component together with its place in the appliance.
type Part struct {
	Component
	// After names the parts that must be ready before this one starts. They are stopped after it.
	After []string
	// Uses names parts without which this one cannot work although it does not wait for them when it starts.
	Uses []string
	// Fixed says why the part cannot be stopped alone; empty if it can.
	Fixed string
	// Title is the progress line that a user reads while the part starts. A part without a title has no progress line.
	Title string
	// Restart allows the supervisor to call Start again after the part has ended. If a part without Restart ends, the
	// supervisor stops all parts, unless somebody has stopped a part meanwhile.
	Restart bool
	// Health is the URL at which the part serves its health; empty when it does not.
	Health string
	// ReadyTimeout bounds starting, StopTimeout stopping; zero means the default.
	ReadyTimeout, StopTimeout time.Duration
}

func (p Part) stopTimeout() time.Duration {
	if p.StopTimeout == 0 {
		return DefaultStopTimeout
	}
	return p.StopTimeout
}
