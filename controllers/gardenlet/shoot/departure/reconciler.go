// Package departure removes what a seed still has of a shoot that another seed has taken without its help, for example because the gardenlet
// was away. It touches neither the shoot nor what belongs to it.
package departure

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/backupentry"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/extensionmirror"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Reconciler looks at the Clusters of a seed. All fields are required.
type Reconciler struct {
	GardenReader client.Reader // without a cache: the cache has no Shoots of other seeds
	Seed         client.WithWatch
	SeedCache    cache.Cache // new Clusters in it wake the controller
	Clock        clock.PassiveClock
	SeedName     string
}

const (
	// restoredPeriod is how often the other seed is looked at, until it has restored the shoot.
	restoredPeriod = 15 * time.Second
	// backPeriod is how often a running departure looks whether the shoot is coming back.
	backPeriod = 5 * time.Second
)

// Reconcile looks at one Cluster. It leaves alone what it cannot assign to a Shoot of another seed.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	cluster := &extensionsv1alpha1.Cluster{}
	if err := r.Seed.Get(ctx, request.NamespacedName, cluster); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	from, err := originOf(cluster)
	if err != nil {
		return reconcile.Result{}, err
	}
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.GardenReader.Get(ctx, from.key, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !from.made(shoot, cluster.Name) {
		return reconcile.Result{}, nil
	}
	left := flow.Left{Space: seed.New(cluster.Name, "", r.Seed, nil, r.Clock), ReleaseBackups: r.releaseBackups(cluster.Name + "--" + string(from.uid))}
	switch stage := StageOf(shoot, r.SeedName); stage {
	case Taken:
		return reconcile.Result{RequeueAfter: restoredPeriod}, r.run(ctx, left.Idle, from, stage)
	case Restored:
		log.FromContext(ctx).Info("Another seed has taken the shoot; what is left of it here goes", "cluster", cluster.Name)
		if err := r.markTaken(ctx, cluster); err != nil {
			return reconcile.Result{}, err
		}
		if err := r.run(ctx, left.Leave, from, stage); err != nil {
			return reconcile.Result{}, err
		}
		// not if the shoot has come back meanwhile, and the Cluster was written anew
		if err := r.Seed.Delete(ctx, cluster, client.Preconditions{UID: &cluster.UID, ResourceVersion: &cluster.ResourceVersion}); client.IgnoreNotFound(err) != nil {
			return reconcile.Result{}, fmt.Errorf("delete cluster %q: %w", cluster.Name, err)
		}
	}
	return reconcile.Result{}, nil
}

// markTaken tells extensions that the shoot is another seed's, which the documents of the Cluster do not tell. Otherwise they would write again what
// the departure removes. Whoever writes the Cluster anew removes the mark.
func (r *Reconciler) markTaken(ctx context.Context, cluster *extensionsv1alpha1.Cluster) error {
	if cluster.Annotations[contract.AnnotationTaken] == "true" {
		return nil
	}
	before := cluster.DeepCopy()
	metav1.SetMetaDataAnnotation(&cluster.ObjectMeta, contract.AnnotationTaken, "true")
	if err := r.Seed.Patch(ctx, cluster, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), seed.Owner); err != nil {
		return fmt.Errorf("mark cluster %q: %w", cluster.Name, err)
	}
	return nil
}

// run runs a page. It ends as soon as the shoot is to come back.
func (r *Reconciler) run(parent context.Context, page func() (*graph.Graph, error), from origin, stage Stage) error {
	steps, err := page()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(parent)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.watch(ctx, cancel, from, stage)
	}()
	err = steps.Run(ctx, graph.Options{Log: log.FromContext(ctx), Progress: func(context.Context, graph.Progress) {}})
	cancel(context.Canceled)
	<-ended
	return err
}

var errBack = errors.New("the shoot comes back to this seed")

func (r *Reconciler) watch(ctx context.Context, cancel context.CancelCauseFunc, from origin, stage Stage) {
	ticker := time.NewTicker(backPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		shoot := &gardencorev1beta1.Shoot{}
		if err := r.GardenReader.Get(ctx, from.key, shoot); err == nil && StageOf(shoot, r.SeedName) < stage {
			cancel(errBack)
		}
	}
}

// releaseBackups lets the extension let go of the backups. They stay in the bucket.
func (r *Reconciler) releaseBackups(entry string) func(context.Context) error {
	mirror := extensionmirror.Mirror{Seed: r.Seed, Clock: r.Clock}
	return func(ctx context.Context) error {
		inSeed := &extensionsv1alpha1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: entry}}
		gone, err := mirror.Release(ctx, inSeed)
		if err != nil {
			return fmt.Errorf("release backup entry %q: %w", entry, err)
		}
		if !gone {
			return fmt.Errorf("backup entry %q is still there", entry)
		}
		return mirror.DeleteSecret(ctx, backupentry.SecretName(entry))
	}
}
