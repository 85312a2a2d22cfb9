package system

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/shootsystem"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/infrastructure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Components are the base objects of Gardener in a shoot, which run nothing.
type Components struct {
	Operation *operation.Operation
	Space     seed.Space
	Exposure  exposure.Shoot
}

// DeployNamespaces deploys the namespaces with the zones in which system components may run.
func (c Components) DeployNamespaces(ctx context.Context) error {
	return c.Space.DeployManaged(ctx, shootsystem.ResourceNamespaces, true, shootsystem.Namespaces(c.workerZones())...)
}

// workerZones returns the zones of all pools that system components may run on.
func (c Components) workerZones() []string {
	var zones []string
	for _, worker := range c.Operation.Shoot.Spec.Provider.Workers {
		if worker.SystemComponents == nil || worker.SystemComponents.Allow {
			zones = append(zones, worker.Zones...)
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

// AwaitNamespaces waits until the namespaces are in the shoot.
func (c Components) AwaitNamespaces(ctx context.Context) error {
	resource := &resourcesv1alpha1.ManagedResource{ObjectMeta: metav1.ObjectMeta{Name: shootsystem.ResourceNamespaces, Namespace: c.Space.Name}}
	return await.Until(ctx, c.Space.Client, resource, func() error { return applied(resource) })
}

// DeployIdentity writes the identity of the shoot into the shoot.
func (c Components) DeployIdentity(ctx context.Context) error {
	return c.Space.DeployManaged(ctx, shootsystem.ResourceIdentity, false, shootsystem.Identity(c.Operation.ClusterIdentity())...)
}

// DeployAccess gives extensions tokens with the permissions of Gardener.
func (c Components) DeployAccess(ctx context.Context) error {
	return c.Space.DeployManaged(ctx, shootsystem.ResourceAccess, false, shootsystem.GardenerAccess()...)
}

// DeploySystem deploys the information about the shoot, and its NetworkPolicies.
func (c Components) DeploySystem(ctx context.Context, found *extensionsv1alpha1.Infrastructure) error {
	info := shootsystem.Info{
		Project: c.Operation.Project, Name: c.Operation.Shoot.Name, Provider: c.Operation.Shoot.Spec.Provider.Type, Region: c.Operation.Shoot.Spec.Region,
		KubernetesVersion: c.Operation.Version(), PodNetwork: c.Operation.PodCIDR(), ServiceNetwork: c.Operation.ServiceCIDR(), NodeNetwork: infrastructure.NodeCIDR(c.Operation, found),
	}
	if c.Operation.External != nil {
		info.Domain = c.Operation.External.Name
	}
	if m := c.Operation.Shoot.Spec.Maintenance; m != nil && m.TimeWindow != nil {
		info.MaintenanceBegin, info.MaintenanceEnd = m.TimeWindow.Begin, m.TimeWindow.End
	}
	for _, extension := range c.Operation.Extensions {
		info.Extensions = append(info.Extensions, extension.Type)
	}
	objects := shootsystem.System(info)
	if !c.Operation.Workerless() {
		objects = append(objects, shootsystem.NetworkPolicies(c.Exposure.TunnelMode().ClientSelector(), infrastructure.NodeRanges(c.Operation, found)...)...)
	}
	return c.Space.DeployManaged(ctx, shootsystem.ResourceSystem, false, objects...)
}
