// Package probe checks whether the network of a seed enforces NetworkPolicies. Two pods dial the name server of the
// cluster, and a policy denies it to one of them. The result is a condition of the Seed. Nothing depends on it.
package probe

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/internal/seedstatus"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Condition of the Seed.
const Condition gardencorev1beta1.ConditionType = "NetworkPoliciesEnforced"

const (
	// period between probes: the network of a cluster seldom changes.
	period = 6 * time.Hour
	// look is the interval for checking running pods.
	look = 2 * time.Second
	// patience is the time limit of the pods; an image may have to be pulled.
	patience = 3 * time.Minute

	fieldOwner = client.FieldOwner("gardenlet")
)

// Reconciler handles the one Seed of a gardenlet. All fields are required unless said otherwise.
type Reconciler struct {
	Garden     client.Client
	SeedClient client.Client // uncached
	SeedName   string
	// Image is the appliance image.
	Image string
	Clock clock.PassiveClock

	done time.Time // end of the last probe; there is only one worker
}

// AddToManager adds the controller to the manager of the garden. It must have one worker.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-networkpolicy-probe"
	err := builder.ControllerManagedBy(mgr).Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Seed{}, builder.WithPredicates(
			predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetName() == r.SeedName }),
			predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, seedstatus.SpecOrCondition(Condition)),
		)).Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// Reconcile continues a probe, or starts one if the last is long ago.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	seed := &gardencorev1beta1.Seed{}
	if err := r.Garden.Get(ctx, request.NamespacedName, seed); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if seed.DeletionTimestamp != nil {
		return reconcile.Result{}, r.cleanUp(ctx)
	}
	if rest := r.done.Add(period).Sub(r.Clock.Now()); !r.done.IsZero() && rest > 0 {
		return reconcile.Result{RequeueAfter: rest}, nil
	}
	results, err := r.probe(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	finding := judge(results)
	if finding == nil {
		return reconcile.Result{RequeueAfter: look}, nil
	}
	if err := r.report(ctx, seed, *finding); err != nil {
		return reconcile.Result{}, err
	}
	if err := r.cleanUp(ctx); err != nil {
		return reconcile.Result{}, err
	}
	r.done = r.Clock.Now()
	return reconcile.Result{RequeueAfter: period}, nil
}

func (r *Reconciler) report(ctx context.Context, seed *gardencorev1beta1.Seed, finding conditions.Finding) error {
	return seedstatus.SetCondition(ctx, r.Garden, seed, Condition, finding, r.Clock.Now())
}

// probe creates the missing pods, and returns the results known so far.
func (r *Reconciler) probe(ctx context.Context) (map[string]result, error) {
	service := &corev1.Service{}
	if err := r.SeedClient.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: "kube-dns"}, service); err != nil {
		return nil, fmt.Errorf("read service of the seed's name server: %w", err)
	}
	if err := (patch.Applier{Client: r.SeedClient, Owner: fieldOwner}).ApplyAll(ctx, setting()...); err != nil {
		return nil, err
	}
	results := map[string]result{}
	for _, name := range []string{open, closed} {
		wanted := pod(name, r.Image, service.Spec.ClusterIP)
		if err := r.SeedClient.Create(ctx, wanted); apierrors.IsAlreadyExists(err) {
			if err := r.SeedClient.Get(ctx, client.ObjectKeyFromObject(wanted), wanted); err != nil {
				return nil, fmt.Errorf("read pod of the probe: %w", err)
			}
		} else if err != nil {
			return nil, fmt.Errorf("create pod of the probe: %w", err)
		}
		results[name] = resultOf(wanted, r.Clock.Now())
	}
	return results, nil
}

// cleanUp removes everything: pods of a finished probe would be mistaken for those of the next one.
func (r *Reconciler) cleanUp(ctx context.Context) error {
	for _, name := range []string{open, closed} {
		leftover := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: name}}
		if err := r.SeedClient.Delete(ctx, leftover, client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete pod of the probe: %w", err)
		}
	}
	return client.IgnoreNotFound(r.SeedClient.Delete(ctx, setting()[0]))
}
