// Package event deletes old events of the garden that are not about Shoots. The API server can then keep the events
// about Shoots for longer. The controller runs only if it is configured.
package event

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Reconciler handles Events. All fields are required.
type Reconciler struct {
	Client client.Client // reads from a cache
	Clock  clock.PassiveClock
	TTL    time.Duration
}

// Reconcile deletes one Event if it is old enough, or returns when it will be.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	event := &corev1.Event{}
	if err := r.Client.Get(ctx, request.NamespacedName, event); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if event.DeletionTimestamp != nil || aboutShoot(event) {
		return reconcile.Result{}, nil
	}
	if wait := lastSeen(event).Add(r.TTL).Sub(r.Clock.Now()); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	if err := r.Client.Delete(ctx, event); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("delete event: %w", err)
	}
	return reconcile.Result{}, nil
}

func aboutShoot(event *corev1.Event) bool {
	group, err := schema.ParseGroupVersion(event.InvolvedObject.APIVersion)
	return err == nil && group.Group == gardencorev1beta1.SchemeGroupVersion.Group && event.InvolvedObject.Kind == "Shoot"
}

// lastSeen is the latest of the timestamps of both forms of events, the old and the new one.
func lastSeen(event *corev1.Event) time.Time {
	last := event.CreationTimestamp.Time
	times := []time.Time{event.LastTimestamp.Time, event.EventTime.Time}
	if event.Series != nil {
		times = append(times, event.Series.LastObservedTime.Time)
	}
	for _, one := range times {
		if one.After(last) {
			last = one
		}
	}
	return last
}

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-event"
	others := predicate.NewPredicateFuncs(func(object client.Object) bool { return !aboutShoot(object.(*corev1.Event)) })
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&corev1.Event{}, builder.WithPredicates(others)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}
