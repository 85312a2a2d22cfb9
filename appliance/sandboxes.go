package appliance

import (
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/podgroup"
	"github.com/gardener-up/gardener-up/appliance/trial"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// sandboxes is what embedded nodes of shoots do with containers.
type sandboxes struct {
	// tell says it to users.
	tell string
	// release ends what was made for it. The nodes must have ended.
	release func() error
}

// openSandboxes keeps the decision about sandboxes, and makes what the pods of all embedded seeds share. The process of an own seed uses what that of the landscape
// has made.
func (p *process) openSandboxes() (sandboxes, error) {
	none := sandboxes{release: func() error { return nil }}
	if p.Shared != p.Paths.Shared() {
		return none, nil
	}
	if p.Config.Containers == config.ContainersSandbox {
		return p.openGroup()
	}
	if p.Config.Seed.Kind() {
		return none, nil
	}
	none.tell = "simulated"
	if p.SimulatedBecause != "" {
		none.tell += ": " + p.SimulatedBecause + "; " + trial.Cure
		return none, nil
	}
	return none, p.Store.Sandboxes().SetRan(false) // somebody has decided
}

func (p *process) openGroup() (sandboxes, error) {
	if !p.Config.Seed.Kind() {
		if err := p.Store.Sandboxes().SetRan(true); err != nil {
			return sandboxes{}, err
		}
	}
	dir := layout.Dir(p.Shared.Sandboxes())
	root, err := podgroup.Open(dir, p.Identity.ID)
	if err != nil {
		return sandboxes{}, err
	}
	return sandboxes{tell: "in gVisor sandboxes; " + podgroup.Describe(root), release: func() error { return podgroup.Remove(dir) }}, nil
}
