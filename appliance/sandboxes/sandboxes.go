// Package sandboxes keeps what is decided about the containers of shoots: that they run in sandboxes, or that they are simulated.
package sandboxes

import (
	"strings"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/podgroup"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/appliance/trial"
	"github.com/gardener-up/gardener-up/embedded/sandbox/ids"
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
	// OneUserBecause says why root is the only user of containers that owns files in volumes. It is empty otherwise.
	OneUserBecause string
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
	if err := keepUsers(in); err != nil {
		return Sandboxes{}, err
	}
	dir := layout.Dir(in.Shared.Sandboxes())
	root, err := podgroup.Open(dir, in.ID)
	if err != nil {
		return Sandboxes{}, err
	}
	tell := []string{"in gVisor sandboxes"}
	if in.OneUserBecause != "" {
		tell = append(tell, trial.OneUser(in.OneUserBecause)+" ("+trial.OneUserCure+")")
	}
	return Sandboxes{Tell: strings.Join(append(tell, podgroup.Describe(root)), "; "), Release: func() error { return podgroup.Remove(dir) }}, nil
}

// keepUsers keeps who may have files in volumes from now on, so that a start and a purge know it. Where root has become the only user, others stay known: their files are still there.
func keepUsers(in Inputs) error {
	if !ids.All() {
		return nil
	}
	users, groups, err := ids.Own()
	if err != nil || len(users) == 1 { // root's landscape
		return err
	}
	return in.Store.Sandboxes().SetUsers(ids.Text(users, groups))
}
