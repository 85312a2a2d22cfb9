// Package addons deploys what users may have switched on in a shoot.
package addons

import (
	"context"

	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/addons"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
)

// Dashboard is the dashboard that a shoot may have.
type Dashboard struct {
	Operation *operation.Operation
	Space     seed.Space
}

// Deploy deploys the dashboard that a shoot may have, or removes it.
func (d Dashboard) Deploy(ctx context.Context) error {
	config := d.Operation.Shoot.Spec.Addons
	if config == nil || config.KubernetesDashboard == nil || !config.KubernetesDashboard.Enabled {
		return d.Space.DeleteManaged(ctx, component.ResourceDashboard)
	}
	return d.Space.DeployManaged(ctx, component.ResourceDashboard, false, component.Dashboard(*config.KubernetesDashboard)...)
}
