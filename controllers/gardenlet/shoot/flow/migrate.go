package flow

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/extensions"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/release"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Migrate is the page with the order in which a seed releases a shoot that moves to another seed. Nothing that belongs to the shoot is
// destroyed: the API server stops, a final snapshot takes all data along, and extensions save their states and let go. Only extensions
// that need the API server for that come before it stops. An etcd that checks its owner takes the final snapshot itself when the shoot is
// given to the other seed. Others are asked for it. ManagedResources whose objects are in the seed stay until their extensions let go, and what
// is left of them then goes with its objects. The controllers of the control plane stop when all extensions are asked to let go:
// without their API server they do nothing.
func (p *Plan) Migrate() (*graph.Graph, error) {
	var (
		workerless   = helper.IsWorkerless(p.operation.Shoot)
		noNamespace  = !p.facts.NamespaceActive
		noSnapshot   = noNamespace || !p.facts.EtcdExists || p.operation.Seed.Spec.Backup == nil
		noOwner      = noSnapshot || p.facts.Owner == facts.OwnerUnchecked || p.facts.Owner == facts.OwnerGone
		givenUp      = p.facts.Owner == facts.OwnerElsewhere || p.facts.Owner == facts.OwnerGone // the etcd stops, or has stopped
		snapshot     = p.etcd.TakeFinalSnapshot
		awake        = !helper.HibernationIsEnabled(p.operation.Shoot)
		all          = p.released(nil, extensionsv1alpha1.ContainerRuntimeResource, extensionsv1alpha1.NetworkResource, extensionsv1alpha1.OperatingSystemConfigResource, extensionsv1alpha1.WorkerResource)
		early        = p.released(p.extensions.Objects(extensions.MigratedBefore), extensionsv1alpha1.ExtensionResource)
		late         = p.released(nil, extensionsv1alpha1.ExtensionResource)
		controlPlane = p.released(nil, extensionsv1alpha1.ControlPlaneResource)
		network      = p.released(nil, extensionsv1alpha1.InfrastructureResource)
		records      = p.released(nil, extensionsv1alpha1.DNSRecordResource)
		bastions     = p.released(nil, extensionsv1alpha1.BastionResource)
		managed      = release.Managed{Space: p.space}
	)
	if !noOwner {
		snapshot = p.etcd.AwaitFinalSnapshot
	}
	finished := names(LateReleasedGone, ExtensionsReleasedGone, InfrastructureGone, DNSReleasedGone)
	return build(Migration, []row{
		step(Namespace, p.namespace.Deploy).unless(noNamespace),
		step(Secrets, leaves(&p.made, p.credentials.Initialize)).after(Namespace).unless(noNamespace),
		wait(EtcdPeersTrusted, long, given(p.etcd.TrustPeers, &p.made)).after(Secrets).unless(noSnapshot, givenUp, !p.renewsPeers()),
		step(Etcd, given(p.etcd.DeployAsIs, &p.made)).after(Secrets, EtcdPeersTrusted).unless(noSnapshot),
		step(EtcdWoken, p.etcd.ScaleUp).after(Etcd).unless(noSnapshot, awake),
		wait(EtcdReady, long, p.etcd.Await).after(Etcd, EtcdWoken).unless(noSnapshot, givenUp),

		wait(BackedUp, short, p.etcd.CheckBackedUp).retried().after(EtcdReady).unless(noSnapshot),

		wait(BastionsGone, long, bastions.AwaitGone),
		step(ManagedKept, managed.Keep).after(BackedUp, BastionsGone),
		step(ManagedDetached, managed.Delete).after(ManagedKept),
		wait(ManagedDetachedGone, long, managed.AwaitGone).after(ManagedDetached),
		step(AutoscalerDelete, p.autoscaler.Delete).after(ManagedDetachedGone).unless(workerless),
		step(MachineManagerDelete, p.machineManager.Delete).after(AutoscalerDelete, ManagedDetachedGone).unless(workerless),
		wait(MachineManagerGone, long, p.machineManager.AwaitGone).after(MachineManagerDelete).unless(workerless),
		step(EarlyMigrate, early.Migrate).after(ManagedDetachedGone),
		wait(EarlyMigrated, long, early.Await).after(EarlyMigrate),
		step(ShootStateSaved, given(p.saveState, &p.made)).after(Secrets, EarlyMigrated).unless(noNamespace),
		step(EarlyReleased, early.Delete).after(ShootStateSaved),
		wait(EarlyReleasedGone, long, early.AwaitGone).after(EarlyReleased),

		step(APIServerReleased, p.apiServer.Delete).after(ManagedDetachedGone, MachineManagerGone, EtcdReady, EarlyReleasedGone),
		wait(APIServerReleasedGone, long, p.apiServer.AwaitGone).after(APIServerReleased),
		wait(OwnerDNSMigrate, short, p.records.GiveUpOwner).retried().after(EtcdReady, APIServerReleasedGone).unless(noOwner),
		wait(FinalSnapshot, long, snapshot).retried().after(OwnerDNSMigrate).unless(noSnapshot),

		step(ExtensionsMigrate, all.Migrate).after(FinalSnapshot),
		wait(ExtensionsMigrated, long, all.Await).after(ExtensionsMigrate),
		step(ExtensionsReleased, p.afterState(all)).after(ExtensionsMigrated),
		wait(ExtensionsReleasedGone, long, all.AwaitGone).after(ExtensionsReleased),
		step(ControlPlaneMigrate, controlPlane.Migrate).after(ExtensionsReleasedGone),
		step(ControlPlaneReleased, p.afterState(controlPlane)).after(ControlPlaneMigrate),
		wait(ControlPlaneGoneHere, long, controlPlane.AwaitGone).after(ControlPlaneReleased),
		step(LateMigrate, late.Migrate).after(ControlPlaneGoneHere),
		wait(LateMigrated, long, late.Await).after(LateMigrate),
		step(LateReleased, p.afterState(late)).after(LateMigrated),
		wait(LateReleasedGone, long, late.AwaitGone).after(LateReleased),
		step(InfrastructureMigrate, network.Migrate).after(ControlPlaneGoneHere),
		wait(InfrastructureMigrated, long, network.Await).after(InfrastructureMigrate),
		step(InfrastructureReleased, p.afterState(network)).after(InfrastructureMigrated, LateReleased),
		wait(InfrastructureGone, long, network.AwaitGone).after(InfrastructureReleased),
		step(DNSMigrate, records.Migrate).after(FinalSnapshot),
		wait(DNSMigrated, long, records.Await).after(DNSMigrate),
		step(DNSReleased, records.Delete).after(DNSMigrated),
		wait(DNSReleasedGone, long, records.AwaitGone).after(DNSReleased),

		step(ControllersReleased, p.deleteControllers).after(ExtensionsMigrate, ControlPlaneMigrate, LateMigrate, InfrastructureMigrate, DNSMigrate),

		step(SeedManagedDelete, p.leftovers.DeleteManagedInSeed).after(finished...),
		wait(SeedManagedGoneHere, long, managed.AwaitGoneInSeed).after(SeedManagedDelete),

		step(BackupEntryMigrate, p.backup.HandOver).after(FinalSnapshot).after(finished...),
		wait(BackupEntryMigrated, long, p.backup.AwaitHandedOver).after(BackupEntryMigrate),
		step(EtcdDestroy, p.etcd.Destroy).after(FinalSnapshot, BackupEntryMigrated),
		wait(EtcdGone, long, p.etcd.AwaitGone).after(EtcdDestroy),
		step(SecretsReleased, managed.ReleaseSecrets).after(ManagedDetachedGone, SeedManagedGoneHere, EtcdGone),
		step(NamespaceDelete, p.namespace.Delete).after(finished...).after(SecretsReleased, ControllersReleased),
		wait(NamespaceGone, long, p.namespace.AwaitGone).after(NamespaceDelete),
	})
}

// released are the objects of some kinds.
func (p *Plan) released(choose release.Choice, kinds ...string) release.Extensions {
	return release.Extensions{Kinds: kinds, Choose: choose, Space: p.space}
}

// afterState deletes objects when they are released and their states are saved.
func (p *Plan) afterState(objects release.Extensions) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := objects.Await(ctx); err != nil {
			return err
		}
		if err := p.saveExtensions(ctx); err != nil {
			return err
		}
		return objects.Delete(ctx)
	}
}
