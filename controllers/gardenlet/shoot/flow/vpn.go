package flow

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/apiserverproxy"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
)

// tunnelled tells whether the API server needs a tunnel to reach what is in the shoot.
func (p *Plan) tunnelled() bool { return p.Tunnel && !p.Workerless() }

func (p *Plan) deployVPNServer(ctx context.Context) error {
	objects, _ := vpn.ServerObjects(p.namespace, p.awakeReplicas(), p.vpn)
	return p.seed.ApplyAll(ctx, objects...)
}

func (p *Plan) deployVPNShoot(ctx context.Context) error {
	return p.deployManaged(ctx, vpn.Resource, false, vpn.ClientObjects(p.namespace, p.Internal.APIServer(), p.vpn)...)
}

// deployAPIServerProxy makes the address that the API server advertises mean something on the nodes.
func (p *Plan) deployAPIServerProxy(ctx context.Context) error {
	return p.deployManaged(ctx, apiserverproxy.Resource, false, apiserverproxy.Objects(p.apiServerIP, p.Internal.APIServer())...)
}
