package flow

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/apiserverproxy"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
)

// tunnelled tells whether the API server needs a tunnel to reach what is in the shoot.
func (p *Plan) tunnelled() bool { return p.Tunnel && !p.Workerless() }

// tunnelMode is the way into this shoot.
func (p *Plan) tunnelMode() vpn.Mode { return p.TunnelGates.ModeOf(p.Shoot.Annotations) }

// deployVPNServer comes when the API server already asks for it, so that the server of the former mode may go.
func (p *Plan) deployVPNServer(ctx context.Context) error {
	objects, _ := p.tunnelMode().ServerObjects(p.namespace, p.awakeReplicas(), p.vpn)
	if err := p.seed.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	return p.delete(ctx, p.tunnelMode().Stale(p.namespace)...)
}

func (p *Plan) deployVPNShoot(ctx context.Context) error {
	gateway, err := p.fromNodes(func(ports frontdoor.Ports) int32 { return ports.Tunnel })
	if err != nil {
		return err
	}
	return p.deployManaged(ctx, vpn.Resource, false, p.tunnelMode().ClientObjects(p.namespace, gateway, p.vpn)...)
}

// deployAPIServerProxy makes the address that the API server advertises mean something on the nodes.
func (p *Plan) deployAPIServerProxy(ctx context.Context) error {
	upstream, err := p.fromNodes(func(ports frontdoor.Ports) int32 { return ports.Proxy })
	if err != nil {
		return err
	}
	return p.deployManaged(ctx, apiserverproxy.Resource, false, apiserverproxy.Objects(p.apiServerIP, upstream)...)
}
