// Package tunnel deploys the tunnel between the control plane of a shoot and its nodes.
package tunnel

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/apiserverproxy"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/vpn"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
)

// Tunnel leads from the API server to the networks of a shoot.
type Tunnel struct {
	Space    seed.Space
	Exposure exposure.Shoot
	Replicas int32
}

// DeployServer runs when the API server already uses the new mode, so that the server of the former mode can be
// deleted.
func (t Tunnel) DeployServer(ctx context.Context, made credentials.Made) error {
	objects, _ := t.Exposure.TunnelMode().ServerObjects(t.Space.Name, t.Space.Image, t.Replicas, made.Tunnel)
	if err := t.Space.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	return t.Space.Delete(ctx, t.Exposure.TunnelMode().Stale(t.Space.Name)...)
}

// DeployClient deploys the end of the tunnel in the shoot.
func (t Tunnel) DeployClient(ctx context.Context, made credentials.Made) error {
	gateway, err := t.Exposure.FromNodes(func(ports frontdoor.Ports) int32 { return ports.Tunnel })
	if err != nil {
		return err
	}
	return t.Space.DeployManaged(ctx, vpn.Resource, false, t.Exposure.TunnelMode().ClientObjects(t.Space.Name, t.Space.Image, gateway, made.Tunnel)...)
}

// DeployAPIServerProxy makes the advertised address of the API server reachable on the nodes.
func (t Tunnel) DeployAPIServerProxy(ctx context.Context, clusterIP string) error {
	upstream, err := t.Exposure.FromNodes(func(ports frontdoor.Ports) int32 { return ports.Proxy })
	if err != nil {
		return err
	}
	return t.Space.DeployManaged(ctx, apiserverproxy.Resource, false, apiserverproxy.Objects(t.Space.Image, clusterIP, upstream)...)
}

// Await waits until the API server reaches the kubelet of a node. A shoot without nodes has nothing to reach.
func (t Tunnel) Await(ctx context.Context, shoot connection.Connection) error {
	return await.Poll(ctx, func() error { return health.Tunnel(ctx, shoot.Client, shoot.Config) })
}
