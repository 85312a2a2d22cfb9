package appliance

import (
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/podgroup"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// sandboxes is what embedded nodes of shoots do with containers.
type sandboxes struct {
	// tell says it to users.
	tell string
	// release ends what was made for it. The nodes must have ended.
	release func() error
}

// openSandboxes makes what the pods of all embedded seeds share. The process of an own seed uses what that of the landscape has made.
func (p *process) openSandboxes() (sandboxes, error) {
	none := sandboxes{release: func() error { return nil }}
	switch {
	case p.Config.Seed.Kind():
		return none, nil
	case p.Config.Containers != config.ContainersSandbox:
		none.tell = "simulated"
		return none, nil
	case p.Shared != p.Paths.Shared():
		return none, nil
	}
	dir := layout.Dir(p.Shared.Sandboxes())
	root, err := podgroup.Open(dir, p.Identity.ID)
	if err != nil {
		return none, err
	}
	return sandboxes{tell: "in gVisor sandboxes; " + podgroup.Describe(root), release: func() error { return podgroup.Remove(dir) }}, nil
}
