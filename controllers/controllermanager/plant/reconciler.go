// Package plant monitors external clusters. The status of a Plant reports whether the API server of its cluster
// answers, whether the nodes are ready, and what kind of cluster it is. The controller writes nothing into those
// clusters.
package plant

import (
	"context"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Reconciler handles Plants. All fields but Dial are required.
type Reconciler struct {
	Client     client.Client // reads from a cache
	Reader     client.Reader // uncached, for the content of Secrets
	Clock      clock.PassiveClock
	SyncPeriod time.Duration
	Workers    int // of this controller; zero counts as one
	// Dial connects to the servers that users name; nil dials any address.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Look reads the state of a cluster.
	Look func(context.Context, *rest.Config) Observation

	lanes lanes
}

// Reconcile checks the cluster of one Plant, and again after the period. A look at it takes ten seconds at most.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	plant := &gardencorev1beta1.Plant{}
	if err := r.Client.Get(ctx, request.NamespacedName, plant); err != nil {
		r.lanes.forget(request.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if plant.DeletionTimestamp != nil {
		r.lanes.forget(request.NamespacedName)
		return reconcile.Result{}, r.delete(ctx, plant)
	}
	if err := patch.Metadata(ctx, r.Client, plant, func() { controllerutil.AddFinalizer(plant, constants.GardenerName) }); err != nil {
		return reconcile.Result{}, err
	}
	leave, ok := r.lanes.enter(request.NamespacedName, r.Workers)
	if !ok {
		return reconcile.Result{RequeueAfter: fullPause}, nil
	}
	begin := r.Clock.Now()
	seen, err := r.look(ctx, plant)
	pause := max(r.SyncPeriod, min(longestPause, r.SyncPeriod*time.Duration(leave(r.Clock.Since(begin)))))
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := r.releaseSecrets(ctx, plant.Namespace, plant); err != nil {
		return reconcile.Result{}, err
	}
	before := plant.DeepCopy()
	plant.Status = seen.Status(plant, r.Clock.Now())
	return reconcile.Result{RequeueAfter: pause}, patch.Status(ctx, r.Client, plant, before)
}

// look protects the Secret with a finalizer and uses its kubeconfig.
func (r *Reconciler) look(ctx context.Context, plant *gardencorev1beta1.Plant) (Observation, error) {
	secret := &corev1.Secret{}
	err := r.Reader.Get(ctx, client.ObjectKey{Namespace: plant.Namespace, Name: plant.Spec.SecretRef.Name}, secret)
	if apierrors.IsNotFound(err) {
		return Observation{Unusable: fmt.Errorf("secret %q does not exist", plant.Spec.SecretRef.Name)}, nil
	}
	if err != nil {
		return Observation{}, fmt.Errorf("read secret of plant: %w", err)
	}
	if err := r.protect(ctx, secret); err != nil {
		return Observation{}, err
	}
	config, err := accessOf(secret)
	if err != nil {
		return Observation{Unusable: err}, nil
	}
	config.Dial = r.Dial
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return r.Look(ctx, config), nil
}

func (r *Reconciler) delete(ctx context.Context, plant *gardencorev1beta1.Plant) error {
	if !controllerutil.ContainsFinalizer(plant, constants.GardenerName) {
		return nil
	}
	if err := r.releaseSecrets(ctx, plant.Namespace, plant); err != nil {
		return err
	}
	return client.IgnoreNotFound(patch.Metadata(ctx, r.Client, plant, func() {
		controllerutil.RemoveFinalizer(plant, constants.GardenerName)
	}))
}
