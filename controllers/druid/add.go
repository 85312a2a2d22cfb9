// Package druid runs etcd clusters. It turns Etcd objects into StatefulSets of the appliance image and reports their
// state in the status. Members of an Etcd with a store back themselves up and restore themselves (embedded/backuprestore). It copies
// backups for EtcdCopyBackupsTasks, and takes snapshots for EtcdOpsTasks.
package druid

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/controllers/druid/backupserver"
	"github.com/gardener-up/gardener-up/controllers/druid/compaction"
	"github.com/gardener-up/gardener-up/controllers/druid/copybackups"
	"github.com/gardener-up/gardener-up/controllers/druid/etcd"
	"github.com/gardener-up/gardener-up/controllers/druid/jobs"
	"github.com/gardener-up/gardener-up/controllers/druid/opstask"
	"github.com/gardener-up/gardener-up/controllers/druid/protection"
	"github.com/gardener-up/gardener-up/controllers/druid/share"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Config of the druid. All fields are optional but the image.
type Config struct {
	// Image of the servers: the appliance image.
	Image string
	// Pods signs the pods of the servers; nil signs none.
	Pods *podsignature.Signer
	// Backups is the directory on nodes with the backup buckets of provider local. If it is empty, Etcds with such a store are not
	// backed up.
	Backups string
	// PrivateNetworks are the private networks that object stores may be in.
	PrivateNetworks []netip.Prefix
	// OwnerServer is host:port of the name server that members ask for owners in OwnerDomain over TCP, and that may rest while they go on. If it is empty, and
	// for owners in other domains, they ask those of their pods.
	OwnerServer, OwnerDomain string
	// IgnoreOperationAnnotation applies every change of a spec, not only changes announced by the annotation
	// gardener.cloud/operation=reconcile.
	IgnoreOperationAnnotation bool
	// Share of the objects that this druid serves, beside another one in the same cluster.
	Share share.Share
	// Mark is the part of this druid's landscape in the mark of the cluster. The share Landscape needs it.
	Mark *share.Mark
	// Protection is this druid as a member of the policy that keeps others from changing the objects of Etcds; nil leaves the policy alone. Protect asks for the
	// policy. Otherwise the druid leaves it.
	Protection *protection.Member
	Protect    bool
	// Workers is the number of Etcds reconciled at once; 5 when zero.
	Workers int
	// Compaction has the settings of compactions.
	Compaction compaction.Settings
	// Clock for the times in the status; the real one when nil.
	Clock clock.PassiveClock
}

// fullTimeout bounds the wait for a full snapshot, as that of an EtcdOpsTask.
const fullTimeout = 15 * time.Minute

// AddToManager adds the controllers to the manager of the cluster that holds the Etcd objects and their pods. The
// manager's scheme knows the groups druid.gardener.cloud and extensions.gardener.cloud, and those of Kubernetes.
func AddToManager(mgr manager.Manager, cfg Config) error {
	if cfg.Workers == 0 {
		cfg.Workers = 5
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.RealClock{}
	}
	reconciler := &etcd.Reconciler{
		Client:                    mgr.GetClient(),
		Reader:                    mgr.GetAPIReader(),
		Recorder:                  mgr.GetEventRecorder(etcd.ControllerName),
		Clock:                     cfg.Clock,
		Image:                     cfg.Image,
		Pods:                      cfg.Pods,
		Backups:                   cfg.Backups,
		PrivateNetworks:           cfg.PrivateNetworks,
		OwnerServer:               cfg.OwnerServer,
		OwnerDomain:               cfg.OwnerDomain,
		IgnoreOperationAnnotation: cfg.IgnoreOperationAnnotation,
		Share:                     cfg.Share,
	}
	if err := reconciler.AddToManager(mgr, workers.Options{Count: cfg.Workers}); err != nil {
		return fmt.Errorf("add controller for Etcds: %w", err)
	}
	inputs := jobs.Inputs{
		Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Clock: cfg.Clock,
		Image: cfg.Image, Pods: cfg.Pods, Backups: cfg.Backups, PrivateNetworks: cfg.PrivateNetworks, Share: cfg.Share,
	}
	copies := &copybackups.Reconciler{Inputs: inputs, Recorder: mgr.GetEventRecorder(copybackups.ControllerName)}
	if err := copies.AddToManager(mgr, workers.Options{Count: cfg.Workers}); err != nil {
		return fmt.Errorf("add controller for EtcdCopyBackupsTasks: %w", err)
	}
	tasks := &opstask.Reconciler{Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Config: mgr.GetConfig(), Clock: cfg.Clock, Share: cfg.Share}
	if err := tasks.AddToManager(mgr, workers.Options{Count: cfg.Workers}); err != nil {
		return fmt.Errorf("add controller for EtcdOpsTasks: %w", err)
	}
	settings := cfg.Compaction.WithDefaults()
	merging := &compaction.Reconciler{
		Inputs: inputs, Deadline: settings.Deadline,
		Full: func(ctx context.Context, etcd types.NamespacedName) error {
			ctx, cancel := context.WithTimeout(ctx, fullTimeout)
			defer cancel()
			_, err := backupserver.Take(ctx, mgr.GetAPIReader(), mgr.GetConfig(), etcd, backupserver.Full, false)
			return err
		},
	}
	if err := merging.AddToManager(mgr, workers.Options{Count: settings.Workers}); err != nil {
		return fmt.Errorf("add controller for compactions: %w", err)
	}
	if cfg.Protection != nil {
		if err := addKeeper(mgr, cfg); err != nil {
			return fmt.Errorf("add keeper of the policy for objects of Etcds: %w", err)
		}
	}
	if cfg.Share == share.Landscape {
		marker := share.Marker{Reader: mgr.GetAPIReader(), Client: mgr.GetClient(), Clock: cfg.Clock, Mark: cfg.Mark}
		if err := mgr.Add(marker); err != nil {
			return fmt.Errorf("add marker of the cluster: %w", err)
		}
	}
	return nil
}

func addKeeper(mgr manager.Manager, cfg Config) error {
	direct, err := client.New(mgr.GetConfig(), client.Options{HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return err
	}
	return mgr.Add(protection.Keeper{Member: cfg.Protection, Client: direct, Config: mgr.GetConfig(), Enabled: cfg.Protect})
}
