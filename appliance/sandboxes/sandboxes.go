// Package sandboxes keeps what is decided about the containers of shoots: that they run in sandboxes, or that they are simulated.
package sandboxes

import (
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/podgroup"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/appliance/trial"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// Inputs are what a process knows of sandboxes.
type Inputs struct {
	Config *config.Landscape
	Paths  paths.Paths
	Shared paths.Shared // of the landscape
	ID     string       // of the state directory
	Store  *store.Store
	// SimulatedBecause says why containers are simulated although the configuration does not ask for that. It is empty otherwise.
	SimulatedBecause string
}

// Sandboxes is what embedded nodes of shoots do with containers.
type Sandboxes struct {
	// Tell says it to users.
	Tell string
	// Release ends what was made for it. The nodes must have ended.
	Release func() error
}

// Open keeps the decision about sandboxes, and makes what the pods of all embedded seeds share. The process of an own seed uses what that of the landscape
// has made.
func Open(in Inputs) (Sandboxes, error) {
	none := Sandboxes{Release: func() error { return nil }}
	if in.Shared != in.Paths.Shared() {
		return none, nil
	}
	if in.Config.Containers == config.ContainersSandbox {
		return openGroup(in)
	}
	if in.Config.Seed.Kind() {
		return none, nil
	}
	none.Tell = "simulated"
	if in.SimulatedBecause != "" {
		none.Tell += ": " + in.SimulatedBecause + "; " + trial.Cure
		return none, nil
	}
	return none, in.Store.Sandboxes().SetRan(false) // somebody has decided
}

func openGroup(in Inputs) (Sandboxes, error) {
	if !in.Config.Seed.Kind() {
		if err := in.Store.Sandboxes().SetRan(true); err != nil {
			return Sandboxes{}, err
		}
	}
	dir := layout.Dir(in.Shared.Sandboxes())
	root, err := podgroup.Open(dir, in.ID)
	if err != nil {
		return Sandboxes{}, err
	}
	return Sandboxes{Tell: "in gVisor sandboxes; " + podgroup.Describe(root), Release: func() error { return podgroup.Remove(dir) }}, nil
}
