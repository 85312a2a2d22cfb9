package component

import (
	"time"
)

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
	// Once is whether the part only does something when it starts. Stopping it undoes nothing.
	Once bool `json:"once,omitempty"`
	// NeededBy names the parts that cannot do their work without this one, separated by commas.
	NeededBy string `json:"neededBy,omitempty"`
}

// Started reports whether a part was ready since it was started last.
func (s Status) Started() bool { return s.State == Ready || s.State == Degraded }

// Serves is false for a part that is degraded, has failed, or waits for its next start.
func (s Status) Serves() bool {
	return s.State != Degraded && s.State != Backoff && s.State != Failed
}
