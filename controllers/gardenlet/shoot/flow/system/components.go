package system

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/shootsystem"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/encryption"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/infrastructure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Components are the base objects of Gardener in a shoot, which run nothing.
type Components struct {
	Shoot *gardencorev1beta1.Shoot
	// Project is the name of the project of the shoot.
	Project         string
	ClusterIdentity string
	Networks        operation.Networks
	Extensions      []operation.Extension
	Space           seed.Space
	Exposure        exposure.Shoot
}

// DeployNamespaces deploys the namespaces with the zones in which system components may run.
func (c Components) DeployNamespaces(ctx context.Context) error {
	return c.Space.DeployManaged(ctx, shootsystem.ResourceNamespaces, true, shootsystem.Namespaces(c.workerZones())...)
}

// workerZones returns the zones of all pools that system components may run on.
func (c Components) workerZones() []string {
	var zones []string
	for _, worker := range c.Shoot.Spec.Provider.Workers {
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
	return c.Space.DeployManaged(ctx, shootsystem.ResourceIdentity, false, shootsystem.Identity(c.ClusterIdentity)...)
}

// DeployAccess gives extensions tokens with the permissions of Gardener.
func (c Components) DeployAccess(ctx context.Context) error {
	return c.Space.DeployManaged(ctx, shootsystem.ResourceAccess, false, shootsystem.GardenerAccess()...)
}

// DeploySystem deploys the information about the shoot, and its NetworkPolicies.
func (c Components) DeploySystem(ctx context.Context, found *extensionsv1alpha1.Infrastructure) error {
	info := shootsystem.Info{
		Project: c.Project, Name: c.Shoot.Name, Provider: c.Shoot.Spec.Provider.Type, Region: c.Shoot.Spec.Region,
		KubernetesVersion: c.Shoot.Spec.Kubernetes.Version, Encrypted: encryption.Wanted(c.Shoot).Resources, PodNetwork: c.Networks.Pods, ServiceNetwork: c.Networks.Services, NodeNetwork: infrastructure.NodeCIDR(c.Networks.Nodes, found),
	}
	if c.Exposure.External != nil {
		info.Domain = c.Exposure.External.Name
	}
	if m := c.Shoot.Spec.Maintenance; m != nil && m.TimeWindow != nil {
		info.MaintenanceBegin, info.MaintenanceEnd = m.TimeWindow.Begin, m.TimeWindow.End
	}
	for _, extension := range c.Extensions {
		info.Extensions = append(info.Extensions, extension.Type)
	}
	objects := shootsystem.System(info)
	if !helper.IsWorkerless(c.Shoot) {
		objects = append(objects, shootsystem.NetworkPolicies(c.Exposure.TunnelMode().ClientSelector(), infrastructure.NodeRanges(c.Networks.Nodes, found)...)...)
	}
	return c.Space.DeployManaged(ctx, shootsystem.ResourceSystem, false, objects...)
}
