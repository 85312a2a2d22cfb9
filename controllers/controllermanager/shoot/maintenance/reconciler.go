// Package maintenance maintains Shoots in their maintenance windows, or when users request it. It updates the versions of
// Kubernetes and of machine images as the CloudProfile says, by force if a version is expired. It starts deferred operations
// and restarts components that should not run for longer than a day. The gardenlet then acts on the changed Shoot.
//
//	due.go         decides when maintenance is due
//	plan.go        decides what to do, with kubernetes.go, image.go, operation.go and restart.go
//	reconciler.go  does it and reports it
package maintenance

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/wallclock"
)

const (
	action       = "Maintain"
	reasonDone   = "MaintenanceDone"
	reasonFailed = "MaintenanceFailed"
)

// Reconciler handles Shoots. All fields but the last two are required.
type Reconciler struct {
	Client   client.Client // reads from a cache
	Clock    clock.PassiveClock
	Recorder events.EventRecorder
	Restarts Restarts
	// RotateSSHKeys rotates the SSH key of the nodes once per maintenance window.
	RotateSSHKeys bool
}

// Reconcile maintains one Shoot if maintenance is due, and runs again when the next window begins.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.Client.Get(ctx, request.NamespacedName, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if shoot.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	now := r.Clock.Now()
	timing, err := TimingOf(shoot, now)
	if err != nil {
		log.FromContext(ctx).Info("There is no maintenance without a window", "reason", err.Error())
	}
	result := reconcile.Result{RequeueAfter: min(timing.Wait, wallclock.Look)} // a timer of hours stands still while the machine sleeps
	if !timing.Due && !timing.Late {
		return result, nil
	}
	profile, err := r.profile(ctx, shoot)
	if err != nil {
		return reconcile.Result{}, err
	}
	plan := PlanFor(shoot, profile, now)
	if !timing.Due && len(plan.Changes) == 0 {
		return result, nil
	}
	if timing.Due && r.RotateSSHKeys {
		plan.RotateSSHKey()
	}
	if timing.Due {
		asked := shoot.Annotations[constants.GardenerOperation] == constants.ShootOperationMaintain
		plan.Restart(r.Restarts, asked, now)
		plan.Run(asked)
	}
	return result, r.follow(ctx, shoot, plan, now)
}

// follow writes the Shoot, and then the result of maintenance. If it is interrupted in between, the next plan has nothing
// left to change.
func (r *Reconciler) follow(ctx context.Context, shoot *gardencorev1beta1.Shoot, plan Plan, now time.Time) error {
	done := &gardencorev1beta1.LastMaintenance{
		Description: plan.Description(), TriggeredTime: metav1.NewTime(now), State: gardencorev1beta1.LastOperationStateSucceeded,
	}
	changed := plan.Shoot
	err := r.Client.Patch(ctx, changed, client.MergeFromWithOptions(shoot, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
		reason := err.Error()
		done.State, done.FailureReason = gardencorev1beta1.LastOperationStateFailed, &reason
		r.Recorder.Eventf(shoot, nil, corev1.EventTypeWarning, reasonFailed, action, "%s Refused: %s", done.Description, reason)
		changed, err = shoot, r.forget(ctx, shoot)
	}
	if err != nil {
		return fmt.Errorf("maintain shoot: %w", err)
	}
	if done.FailureReason == nil {
		r.tell(shoot, plan)
	}
	before := changed.DeepCopy()
	changed.Status.LastMaintenance = done
	return patch.Status(ctx, r.Client, changed, before)
}

// forget removes a request that cannot be executed.
func (r *Reconciler) forget(ctx context.Context, shoot *gardencorev1beta1.Shoot) error {
	return patch.Metadata(ctx, r.Client, shoot, func() {
		if shoot.Annotations[constants.GardenerOperation] == constants.ShootOperationMaintain {
			delete(shoot.Annotations, constants.GardenerOperation)
		}
	})
}

func (r *Reconciler) tell(shoot *gardencorev1beta1.Shoot, plan Plan) {
	for _, change := range plan.Changes {
		r.Recorder.Eventf(shoot, nil, corev1.EventTypeNormal, change.Reason, action, "%s", change.Text)
	}
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeNormal, reasonDone, action, "%s", plan.Description())
}

// profile returns the CloudProfile or NamespacedCloudProfile of the Shoot.
func (r *Reconciler) profile(ctx context.Context, shoot *gardencorev1beta1.Shoot) (*gardencorev1beta1.CloudProfileSpec, error) {
	ref := helper.CloudProfileReference(&shoot.Spec)
	switch {
	case ref == nil:
		return &gardencorev1beta1.CloudProfileSpec{}, nil
	case ref.Kind == helper.KindNamespacedCloudProfile:
		profile := &gardencorev1beta1.NamespacedCloudProfile{}
		if err := r.Client.Get(ctx, client.ObjectKey{Namespace: shoot.Namespace, Name: ref.Name}, profile); err != nil {
			return nil, fmt.Errorf("read profile %q: %w", ref.Name, err)
		}
		return &profile.Status.CloudProfileSpec, nil
	}
	profile := &gardencorev1beta1.CloudProfile{}
	if err := r.Client.Get(ctx, client.ObjectKey{Name: ref.Name}, profile); err != nil {
		return nil, fmt.Errorf("read profile %q: %w", ref.Name, err)
	}
	return &profile.Spec, nil
}
