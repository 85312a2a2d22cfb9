package daemon

import (
	"time"

	"github.com/gardener-up/gardener-up/appliance/component"
)

// Report is the state of the daemon.
type Report struct {
	PID       int       `json:"pid"`
	Version   string    `json:"version"`
	Landscape string    `json:"landscape"`
	Started   time.Time `json:"started"`
	// Ready is true while the landscape serves: everything was ready once, and nothing is degraded now.
	Ready bool `json:"ready"`
	// ReadyAfter is how long it took until everything was ready for the first time; 0 before.
	ReadyAfter time.Duration `json:"readyAfter,omitempty"`
	FrontDoor  string        `json:"frontDoor,omitempty"`
	// HandlerFrontDoors are the addresses of the front doors of exposure classes, by handler.
	HandlerFrontDoors map[string]string `json:"handlerFrontDoors,omitempty"`
	// Metrics is the URL of the metrics; empty for the cluster of an own seed.
	Metrics string `json:"metrics,omitempty"`
	// NameServer is host:port, UDP and TCP, of the DNS server that knows the names of API servers.
	NameServer string `json:"nameServer,omitempty"`
	// Engine is the container engine of the nodes, with the variables that select it. It is empty if nodes are processes.
	Engine string `json:"engine,omitempty"`
	// Containers says what embedded nodes of shoots do with containers, and what of pods is limited. It is empty without such nodes.
	Containers string             `json:"containers,omitempty"`
	Parts      []component.Status `json:"parts"`
	// Failure is the reason if the daemon is about to end without being asked to.
	Failure string `json:"failure,omitempty"`
}
