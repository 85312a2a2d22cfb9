package flow

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/extensionstate"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
)

// The work of steps that several order pages have.

// publish writes the kubeconfigs of Gardener and the credentials for users.
func (p *Plan) publish(ctx context.Context, made credentials.Made) error {
	if err := p.connector.DeployKubeconfigs(ctx, made); err != nil {
		return err
	}
	return p.credentials.Publish(ctx, made)
}

// saveState saves what another seed needs to rebuild the control plane: credentials, and the states of extensions.
func (p *Plan) saveState(ctx context.Context, made credentials.Made) error {
	if _, err := credentials.SSHKeypair(ctx, p.operation.Shoot, made.Manager); err != nil { // is saved with the others
		return err
	}
	if err := p.project.EnsureShootState(ctx, made.Manager); err != nil {
		return err
	}
	return p.saveExtensions(ctx)
}

func (p *Plan) saveExtensions(ctx context.Context) error {
	states, err := extensionstate.Collect(ctx, p.space.Extensions.Objects, p.space.Name)
	if err != nil {
		return err
	}
	return p.project.SaveExtensions(ctx, p.backup.GardenReader, states)
}

// deleteServers deletes the API server and the components that need it.
func (p *Plan) deleteServers(ctx context.Context) error {
	if err := p.deleteControllers(ctx); err != nil {
		return err
	}
	return p.apiServer.Delete(ctx)
}

// deleteControllers deletes the components that need the API server.
func (p *Plan) deleteControllers(ctx context.Context) error {
	for _, deletion := range []func(context.Context) error{p.controllers.Delete, p.scheduler.Delete, p.oidcWebhook.Delete} {
		if err := deletion(ctx); err != nil {
			return err
		}
	}
	return nil
}

// renewsPeers reports whether members of the etcds get certificates of a new authority while others go on with the old one.
func (p *Plan) renewsPeers() bool {
	return credentials.Preparing(credentials.PhasesOf(p.operation.Shoot).CA) && p.space.Availability.Tolerant()
}
