package reconcile

import (
	"context"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/ownership"
)

// Ownership says whether a seed may act for a shoot.
type Ownership interface {
	// Guard returns an error if the seed of the Cluster may not act for its shoot. The context that it returns ends when the seed may not
	// any longer. stop must be called at the end of the work.
	Guard(ctx context.Context, cluster *contract.Cluster) (guarded context.Context, stop func(), err error)
}

// guard returns the context of an operation. A seed that has lost a shoot may still release it, and an operator may force its deletion.
// The record that names the owner is not subject to itself.
func (r *Reconciler[T, E]) guard(ctx context.Context, op operation, cluster *contract.Cluster, obj T) (context.Context, func(), error) {
	free := op == migrateOp || op == forceDelete
	if r.Options.Ownership == nil || free {
		return ctx, func() {}, nil
	}
	if of := clusterOfBackups(obj); of != "" {
		var err error
		if cluster, err = contract.GetCluster(ctx, r.Reader, of); err != nil {
			return nil, nil, err
		}
	}
	if cluster == nil || cluster.Shoot == nil || cluster.Seed == nil || namesOwner(obj, cluster.Shoot.Name) {
		return ctx, func() {}, nil
	}
	return r.Options.Ownership.Guard(ctx, cluster)
}

// clusterOfBackups is the Cluster of the shoot whose backups a BackupEntry is for, which is not in the namespace of the shoot; empty for other
// objects. Entries outlive their shoots, and act freely then.
func clusterOfBackups(obj extensionsv1alpha1.Object) string {
	name := strings.TrimPrefix(obj.GetName(), constants.BackupSourcePrefix)
	at := strings.LastIndex(name, "--") // <technical ID>--<UID>
	if contract.Kind(obj) != extensionsv1alpha1.BackupEntryResource || at < 0 {
		return ""
	}
	return name[:at]
}

func namesOwner(obj extensionsv1alpha1.Object, shoot string) bool {
	return contract.Kind(obj) == extensionsv1alpha1.DNSRecordResource && obj.GetName() == ownership.RecordName(shoot)
}
