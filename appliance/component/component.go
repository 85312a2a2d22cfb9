// Package component holds the contract of everything that runs inside the appliance (servers, managers, one-shot steps)
// and the Supervisor that starts, watches and stops them. It knows nothing about what the parts do and imports only
// the standard library. The composition root (package appliance) is its only user besides tests; servers implement
// the contract without importing it.
package component

import "context"

// Component is a part of the appliance that starts, serves and ends by itself.
//
//	created ──Start──► running ──Ready==nil──► serving ◄──Ready──► degraded
//	   │                  │                       │                    │
//	   └──────Stop────────┴───────────────────────┴────────────────────┴──► ended (Done is closed)
type Component interface {
	// Name is constant and unique; it labels logs, status and errors.
	Name() string
	// Start returns once the part runs in the background. ctx bounds starting only, not the life of the part.
	Start(ctx context.Context) error
	// Ready is cheap and asked repeatedly as long as the part runs; nil means that the part serves now.
	Ready(ctx context.Context) error
	// Done is closed when the part has ended, asked or not. Before Start it returns a channel that is open, or nil.
	Done() <-chan struct{}
	// Stop ends the part and waits for its end or the end of ctx. It may be called in any state and more than once. It
	// returns the reason of an end that Stop did not cause.
	Stop(ctx context.Context) error
}

// Warner is a component that can serve and still need attention.
type Warner interface {
	// Warning says what needs attention; empty means nothing. refuses is true if the component refuses some requests because of it.
	// Warning is cheap and asked after Ready.
	Warning() (text string, refuses bool)
}
