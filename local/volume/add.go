package volume

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/local/cloudcontroller/feed"
)

// classRetry is the pause between attempts to create the storage class.
const classRetry = time.Second

// most is how many claims, and how many volumes, of a shoot are looked at when nothing of them changes.
const most = 10000

// mostAgain is how many of each are tried again after a failure. The others are tried when they change, or with the next list.
const mostAgain = 1000

// prefix begins the names of controllers and of who reports events.
const prefix = "provider-local-volume-"

// Config of the provisioner.
type Config struct {
	// Dir has the volumes. It is absolute. Those of a seed are directories <Dir>/<namespace>/<claim>-<part of its UID>, those of a shoot
	// <Dir>/pvc-<UID of the claim>.
	Dir string
	// Shoot is a client of the shoot with the claims, without a cache, if the manager is that of a shoot; nil for a seed. Nodes of shoots know Dir by
	// package sharedvolume.
	Shoot client.WithWatch
}

// AddToManager adds the provisioner for a seed or a shoot to its manager, whose scheme knows the groups core and storage.k8s.io. In a seed, it
// creates the storage class when it starts.
func AddToManager(mgr manager.Manager, cfg Config) error {
	if cfg.Shoot != nil {
		return addShoot(mgr, cfg)
	}
	c := mgr.GetClient()
	if err := mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { return ensureClass(ctx, c) })); err != nil {
		return fmt.Errorf("add creation of storage class: %w", err)
	}
	all := func(kind client.Object) source.Source {
		return source.Kind[client.Object](mgr.GetCache(), kind, &handler.EnqueueRequestForObject{})
	}
	return add(mgr, reconcilers{
		provisioner: provisioner{client: c, reader: mgr.GetAPIReader(), places: places{dir: cfg.Dir}}, claims: all(&corev1.PersistentVolumeClaim{}),
		reclaimer: reclaimer{client: c, places: places{dir: cfg.Dir}}, volumes: all(&corev1.PersistentVolume{}),
		bounded: func(of reconcile.Reconciler) reconcile.Reconciler { return of },
	})
}

// addShoot adds the provisioner of a shoot, which keeps nothing of what users wrote.
func addShoot(mgr manager.Manager, cfg Config) error {
	p := places{dir: cfg.Dir, shoot: true}
	r := reconcilers{
		provisioner: provisioner{client: cfg.Shoot, reader: cfg.Shoot, places: p}, reclaimer: reclaimer{client: cfg.Shoot, places: p},
		bounded: func(of reconcile.Reconciler) reconcile.Reconciler { return &feed.Retries{Of: of, Most: mostAgain} },
	}
	r.claims = &feed.Feed{Client: cfg.Shoot, List: &corev1.PersistentVolumeClaimList{}, Most: most, Offer: feed.If(func(object client.Object) bool {
		claim, ok := object.(*corev1.PersistentVolumeClaim)
		return ok && wanting(claim)
	})}
	r.volumes = &feed.Feed{Client: cfg.Shoot, List: &corev1.PersistentVolumeList{}, Most: most, Offer: feed.If(func(object client.Object) bool {
		pv, ok := object.(*corev1.PersistentVolume)
		if ok {
			_, ok = (&reclaimer{places: p}).reclaimable(pv)
		}
		return ok
	})}
	return add(mgr, r)
}

// reconcilers and what they are told to look at.
type reconcilers struct {
	provisioner     provisioner
	reclaimer       reclaimer
	claims, volumes source.Source
	// bounded makes a reconciler keep few failures.
	bounded func(reconcile.Reconciler) reconcile.Reconciler
}

func add(mgr manager.Manager, r reconcilers) error {
	r.provisioner.recorder = mgr.GetEventRecorder(prefix + "provisioner")
	if err := builder.ControllerManagedBy(mgr).Named(prefix + "provision").WatchesRawSource(r.claims).Complete(r.bounded(&r.provisioner)); err != nil {
		return fmt.Errorf("add controller for claims: %w", err)
	}
	if err := builder.ControllerManagedBy(mgr).Named(prefix + "reclaim").WatchesRawSource(r.volumes).Complete(r.bounded(&r.reclaimer)); err != nil {
		return fmt.Errorf("add controller for volumes: %w", err)
	}
	return nil
}

// ensureClass tries until it succeeds or the manager stops.
func ensureClass(ctx context.Context, c client.Client) error {
	err := wait.PollUntilContextCancel(ctx, classRetry, true, func(ctx context.Context) (bool, error) {
		err := c.Create(ctx, StorageClass())
		if err == nil || apierrors.IsAlreadyExists(err) {
			return true, nil
		}
		log.FromContext(ctx).Error(err, "Could not create storage class", "storageClass", ClassName)
		return false, nil
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("create storage class %s: %w", ClassName, err)
	}
	return nil
}
