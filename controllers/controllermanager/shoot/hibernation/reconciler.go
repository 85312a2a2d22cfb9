// Package hibernation sets spec.hibernation of Shoots by their schedules. The gardenlet then hibernates or wakes up the
// cluster.
package hibernation

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/wallclock"
)

// Reasons of events.
const (
	reasonHibernated = "Hibernated"
	reasonWokenUp    = "WokenUp"
)

// Reconciler handles Shoots. All fields are required.
type Reconciler struct {
	Client   client.Client // reads from a cache
	Clock    clock.PassiveClock
	Recorder events.EventRecorder
	Deadline time.Duration // how late a trigger is still executed
}

// Reconcile executes the latest trigger of the schedules of one Shoot, unless it was executed before, and returns when
// the next one is due. It does not override what users set between two triggers.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.Client.Get(ctx, request.NamespacedName, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if shoot.DeletionTimestamp != nil || !hasSchedules(shoot) {
		return reconcile.Result{}, nil
	}
	now := r.Clock.Now()
	latest, next, err := Triggers(shoot.Spec.Hibernation.Schedules, r.begin(shoot, now), now)
	if err != nil {
		log.FromContext(ctx).Info("Schedule cannot be followed", "reason", err.Error()) // the API refuses such schedules
		return reconcile.Result{}, nil
	}
	if latest != nil {
		if err := r.follow(ctx, shoot, *latest); err != nil {
			return reconcile.Result{}, err
		}
	}
	if next.IsZero() {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{RequeueAfter: min(next.Sub(now), wallclock.Look)}, nil // a timer of hours stands still while the machine sleeps
}

func hasSchedules(shoot *gardencorev1beta1.Shoot) bool {
	return shoot.Spec.Hibernation != nil && len(shoot.Spec.Hibernation.Schedules) > 0
}

// begin is the time up to which all triggers have been executed or are too old.
func (r *Reconciler) begin(shoot *gardencorev1beta1.Shoot, now time.Time) time.Time {
	begin := now.Add(-r.Deadline)
	followed := shoot.CreationTimestamp
	if last := shoot.Status.LastHibernationTriggerTime; last != nil {
		followed = *last
	}
	if followed.After(begin) {
		return followed.Time
	}
	return begin
}

// follow writes the Shoot first. If it is interrupted then, the next attempt writes the same again, which changes
// nothing.
func (r *Reconciler) follow(ctx context.Context, shoot *gardencorev1beta1.Shoot, trigger Trigger) error {
	if helper.HibernationIsEnabled(shoot) != trigger.Sleep {
		before := shoot.DeepCopy()
		shoot.Spec.Hibernation.Enabled = &trigger.Sleep
		if err := r.Client.Patch(ctx, shoot, client.MergeFrom(before)); err != nil {
			return fmt.Errorf("set hibernation of shoot: %w", err)
		}
		reason, text := reasonWokenUp, "Cluster is woken up by its schedule."
		if trigger.Sleep {
			reason, text = reasonHibernated, "Cluster is hibernated by its schedule."
		}
		r.Recorder.Eventf(shoot, nil, corev1.EventTypeNormal, reason, "Hibernate", "%s", text)
	}
	before := shoot.DeepCopy()
	at := metav1.NewTime(trigger.At)
	shoot.Status.LastHibernationTriggerTime = &at
	return patch.Status(ctx, r.Client, shoot, before)
}
