package flow

import (
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
)

// ForceDelete is the page with the order of a forced deletion. It does not touch the shoot, and waits only for what the seed
// and the extensions do without it.
func (p *Plan) ForceDelete() (*graph.Graph, error) {
	stopped := names(AutoscalerDelete, MachineManagerGone)
	released := names(ExtensionsForced, MachinesReleased, ManagedReleased, SeedManagedGone)
	return build(ForcedDeletion, []row{
		step(AutoscalerDelete, p.autoscaler.Delete),
		step(MachineManagerDelete, p.machineManager.Delete),
		wait(MachineManagerGone, short, p.machineManager.AwaitGone).after(MachineManagerDelete),
		step(ExtensionsForce, p.leftovers.DeleteExtensions).after(stopped...),
		wait(ExtensionsForced, long, p.leftovers.AwaitExtensionsGone).after(ExtensionsForce),
		step(MachinesReleased, p.leftovers.DeleteMachines).after(stopped...).after(ExtensionsForced),
		step(SeedManagedDelete, p.leftovers.DeleteManagedInSeed).after(ExtensionsForced),
		wait(SeedManagedGone, long, p.leftovers.AwaitManagedGone).after(SeedManagedDelete, ManagedReleased),
		step(ManagedReleased, p.leftovers.ReleaseManaged).after(ExtensionsForced, ResourceManagerGone),
		step(ResourceManagerGone, p.resourceManager.Destroy).after(ExtensionsForced),
		step(APIServerDelete, p.deleteServers).after(ExtensionsForced),
		wait(APIServerGone, long, p.apiServer.AwaitGone).after(APIServerDelete),
		step(RouteDestroy, p.entry.DestroyRoute).after(APIServerGone),
		step(ServiceDestroy, p.entry.DestroyService).after(APIServerGone, RouteDestroy),
		step(ReferencedDelete, p.namespace.DeleteReferenced).after(released...),
		step(EtcdDestroy, p.etcd.Destroy).after(APIServerGone),
		wait(EtcdGone, long, p.etcd.AwaitGone).after(EtcdDestroy),
		step(DataReleased, p.leftovers.ReleaseData).after(released...).after(EtcdGone),
		step(NamespaceDelete, p.namespace.Delete).after(released...).after(EtcdGone, ServiceDestroy, ReferencedDelete, DataReleased),
		wait(NamespaceGone, long, p.namespace.AwaitGone).after(NamespaceDelete),
		step(ShootStateDelete, p.project.DeleteAll).after(NamespaceGone),
	})
}
