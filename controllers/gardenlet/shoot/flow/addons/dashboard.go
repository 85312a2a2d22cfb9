// Package addons deploys the add-ons that users can switch on in a shoot.
package addons

import (
	"context"

	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/addons"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Dashboard is the dashboard add-on of a shoot.
type Dashboard struct {
	Shoot *gardencorev1beta1.Shoot
	Space seed.Space
}

// Deploy deploys the dashboard, or removes it if the shoot has it switched off.
func (d Dashboard) Deploy(ctx context.Context) error {
	config := d.Shoot.Spec.Addons
	if config == nil || config.KubernetesDashboard == nil || !config.KubernetesDashboard.Enabled {
		return d.Delete(ctx)
	}
	return d.Space.DeployManaged(ctx, component.ResourceDashboard, false, component.Dashboard(*config.KubernetesDashboard)...)
}

// Delete removes the dashboard.
func (d Dashboard) Delete(ctx context.Context) error {
	return d.Space.DeleteManaged(ctx, component.ResourceDashboard)
}
