package flow

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/apiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/controlplane"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/forced"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/machines"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/namespace"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/oidc"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/release"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Left is what a seed has of a shoot that another seed has taken without its help. The seed may read and write nothing of the shoot in the
// garden any more, so everything is decided by the namespace.
type Left struct {
	Space seed.Space
	// ReleaseBackups makes the extension let go of the backups. It returns an error until it has.
	ReleaseBackups func(context.Context) error
}

// Idle is the page with what stops at once: what would act on machines, volumes and load balancers. The etcd has noticed by itself that it is
// not the owner, takes a final snapshot and stops, and the API server stops with it.
func (l Left) Idle() (*graph.Graph, error) {
	return build(Idling, l.idle())
}

func (l Left) idle() []row {
	autoscaler, manager, cloud := machines.Autoscaler{Space: l.Space}, machines.Manager{Space: l.Space}, controlplane.CloudController{Space: l.Space}
	return []row{
		step(AutoscalerDelete, autoscaler.Delete),
		step(MachineManagerDelete, manager.Delete),
		wait(MachineManagerGone, long, manager.AwaitGone).after(MachineManagerDelete),
		step(CloudControllerDelete, cloud.Delete),
		wait(CloudControllerGone, long, cloud.AwaitGone).after(CloudControllerDelete),
	}
}

// Leave is the page with the order in which the rest goes when the other seed has restored the shoot. As in a migration, extensions release
// what they have, and nothing that belongs to the shoot is destroyed. No state is saved and no snapshot is taken: the other seed is ahead.
func (l Left) Leave() (*graph.Graph, error) {
	var (
		managed   = release.Managed{Space: l.Space}
		leftovers = forced.Leftovers{Space: l.Space}
		etcds     = etcd.Etcd{Space: l.Space}
		space     = namespace.Namespace{Space: l.Space}
		servers   = &Plan{parts: parts{
			controllers: controlplane.Controllers{Space: l.Space}, scheduler: controlplane.Scheduler{Space: l.Space},
			oidcWebhook: oidc.Webhook{Space: l.Space}, apiServer: apiserver.Server{Space: l.Space},
		}}
		all = l.released(
			extensionsv1alpha1.BastionResource, extensionsv1alpha1.ContainerRuntimeResource, extensionsv1alpha1.NetworkResource,
			extensionsv1alpha1.OperatingSystemConfigResource, extensionsv1alpha1.WorkerResource, extensionsv1alpha1.DNSRecordResource)
		late    = l.released(extensionsv1alpha1.ControlPlaneResource, extensionsv1alpha1.ExtensionResource)
		network = l.released(extensionsv1alpha1.InfrastructureResource)
	)
	return build(Leaving, append(l.idle(), []row{
		step(ManagedKept, managed.Keep),
		step(ManagedDetached, managed.Delete).after(ManagedKept),
		wait(ManagedDetachedGone, long, managed.AwaitGone).after(ManagedDetached),
		step(APIServerReleased, servers.deleteServers).after(ManagedDetachedGone, MachineManagerGone),
		wait(APIServerReleasedGone, long, servers.apiServer.AwaitGone).after(APIServerReleased),

		wait(ExtensionsReleasedGone, long, all).after(ManagedDetachedGone, AutoscalerDelete, MachineManagerGone, CloudControllerGone),
		wait(LateReleasedGone, long, late).after(ExtensionsReleasedGone),
		wait(InfrastructureGone, long, network).after(LateReleasedGone),

		step(SeedManagedDelete, leftovers.DeleteManagedInSeed).after(InfrastructureGone),
		wait(SeedManagedGoneHere, long, managed.AwaitGoneInSeed).after(SeedManagedDelete),

		wait(BackupEntryMigrated, long, l.ReleaseBackups).retried().after(InfrastructureGone),
		step(EtcdDestroy, etcds.Destroy).after(APIServerReleasedGone, BackupEntryMigrated),
		wait(EtcdGone, long, etcds.AwaitGone).after(EtcdDestroy),
		step(DataReleased, leftovers.ReleaseData).after(EtcdGone, SeedManagedGoneHere),
		step(NamespaceDelete, space.Delete).after(DataReleased),
		wait(NamespaceGone, long, space.AwaitGone).after(NamespaceDelete),
	}...))
}

// released lets extensions release all objects of some kinds, and deletes the objects.
func (l Left) released(kinds ...string) func(context.Context) error {
	objects := release.Extensions{Kinds: kinds, Space: l.Space}
	return func(ctx context.Context) error {
		for _, do := range []func(context.Context) error{objects.Migrate, objects.Await, objects.Delete, objects.AwaitGone} {
			if err := do(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}
