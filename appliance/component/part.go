package component

import "time"

// DefaultStopTimeout is the time to stop for a part that sets no StopTimeout.
const DefaultStopTimeout = 15 * time.Second

// DefaultReadyTimeout is the time from Start until Ready for a part that sets no ReadyTimeout.
const DefaultReadyTimeout = 2 * time.Minute

// Part is a component together with its place in the appliance.
type Part struct {
	Component
	// After names the parts that must be ready before this one starts. They are stopped after it.
	After []string
	// Title is the progress line that a user reads while the part starts. A part without a title has no progress line.
	Title string
	// Restart allows the supervisor to call Start again after the part has ended. If a part without Restart ends, the
	// supervisor stops all parts.
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

// Started reports whether a part was ready since it was started last.
func (s Status) Started() bool { return s.State == Ready || s.State == Degraded }

// Serves reports whether a part of this status does what it is for, as far as it was asked to.
func (s Status) Serves() bool {
	return s.State != Degraded && s.State != Backoff && s.State != Failed
}

// State of a part under supervision.
type State string

// States, in the order a part passes through them.
const (
	Waiting  State = "Waiting"  // for the parts named in After
	Starting State = "Starting" // Start was called, not ready yet
	Ready    State = "Ready"
	Degraded State = "Degraded" // was ready, does not serve everything now
	Backoff  State = "BackOff"  // ended by itself, will be started again
	Stopping State = "Stopping"
	Stopped  State = "Stopped"
	Failed   State = "Failed"
)

// Status is the observed state of a part.
type Status struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	State State  `json:"state"`
	// Took is the time from Start until the part was ready.
	Took time.Duration `json:"took,omitempty"`
	// Message says what a part that is not ready waits for, or why it failed.
	Message string `json:"message,omitempty"`
	// Warning says what needs attention although the part is ready.
	Warning string `json:"warning,omitempty"`
	// Restarts counts how often the part was started again after it had ended by itself.
	Restarts int `json:"restarts,omitempty"`
	// Health is the URL at which the part serves its health, if it does.
	Health string `json:"health,omitempty"`
}
