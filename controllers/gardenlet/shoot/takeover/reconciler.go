// Package takeover lets a seed take a shoot that is to move to it, when the seed that has the shoot does not release it. It only decides that
// in the status of the Shoot; package lifecycle restores the shoot then.
package takeover

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/lifecycle"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// eventFailed is the reason of events about shoots that the other seed does not release.
const eventFailed = "MigrationPreparationFailed"

// unable is the interval for looking again at a shoot that cannot be restored yet.
const unable = 15 * time.Second

// Reconciler looks at the Shoots that are to move to a seed. All exported fields are required.
type Reconciler struct {
	// Garden reads Shoots from a cache and writes; GardenReader reads all else without a cache.
	Garden       client.Client
	GardenReader client.Reader
	Recorder     events.EventRecorder
	Clock        clock.PassiveClock
	SeedName     string
	Settings     Settings

	silences silences
}

// Reconcile takes a Shoot if it is due. The annotation that orders it is removed when it has had its effect, so that it does not count for a
// later migration, too.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.Garden.Get(ctx, request.NamespacedName, shoot); err != nil {
		r.silences.forget(request.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	mine, moving := ptr.Deref(shoot.Spec.SeedName, "") == r.SeedName, lifecycle.Moving(shoot)
	if !mine || !moving {
		r.silences.forget(request.NamespacedName)
	}
	switch {
	case !mine:
		return reconcile.Result{}, nil
	case !moving && forced(shoot):
		return reconcile.Result{}, r.forget(ctx, shoot)
	case !moving, lifecycle.Ignored(shoot, false):
		return reconcile.Result{}, nil
	}
	again := reconcile.Result{RequeueAfter: r.Settings.SyncPeriod}
	if shoot.Status.MigrationStartTime == nil && !forced(shoot) { // a seed that is dead does not note it
		return again, r.write(ctx, shoot, func(s *gardencorev1beta1.ShootStatus) { s.MigrationStartTime = ptr.To(metav1.NewTime(r.Clock.Now())) })
	}
	m := move{shoot: shoot}
	var errs [2]error
	m.source, errs[0] = r.seed(ctx, *shoot.Status.SeedName)
	m.here, errs[1] = r.seed(ctx, r.SeedName)
	if err := errors.Join(errs[:]...); err != nil {
		return reconcile.Result{}, err
	}
	m.silence = r.silences.of(shoot, m.source, r.Clock.Now())
	reason := r.Settings.reason(m, r.Clock.Now())
	if reason == "" {
		return again, nil
	}
	missing, err := r.missing(ctx, m)
	if err != nil {
		return reconcile.Result{}, err
	}
	if missing != "" {
		log.FromContext(ctx).Info("Shoot cannot be taken from the other seed", "reason", reason, "missing", missing)
		r.Recorder.Eventf(shoot, nil, corev1.EventTypeWarning, eventFailed, eventFailed, "Seed %q cannot take the Shoot: %s.", r.SeedName, missing)
		return reconcile.Result{RequeueAfter: min(r.Settings.SyncPeriod, unable)}, nil
	}
	return reconcile.Result{}, r.take(ctx, shoot, reason)
}

// missing says what a restoration here lacks; empty if it lacks nothing.
func (r *Reconciler) missing(ctx context.Context, m move) (string, error) {
	if reason := m.obstacle(); reason != "" {
		return reason, nil
	}
	err := r.GardenReader.Get(ctx, client.ObjectKeyFromObject(m.shoot), &gardencorev1beta1.ShootState{})
	if apierrors.IsNotFound(err) {
		return "the other seed has never saved the state of the shoot", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the shoot state, from which the shoot is restored: %w", err)
	}
	return "", nil
}

// seed returns a Seed; nil if it does not exist.
func (r *Reconciler) seed(ctx context.Context, name string) (*gardencorev1beta1.Seed, error) {
	seed := &gardencorev1beta1.Seed{}
	err := r.GardenReader.Get(ctx, client.ObjectKey{Name: name}, seed)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read seed %q: %w", name, err)
	}
	return seed, nil
}

// take ends the responsibility of the other seed. With that the lifecycle controller of this seed begins to restore the shoot.
func (r *Reconciler) take(ctx context.Context, shoot *gardencorev1beta1.Shoot, reason string) error {
	from, ordered := *shoot.Status.SeedName, forced(shoot)
	message := fmt.Sprintf("Seed %q takes the Shoot without the help of seed %q: %s.", r.SeedName, from, reason)
	err := r.write(ctx, shoot, func(s *gardencorev1beta1.ShootStatus) {
		s.LastOperation = &gardencorev1beta1.LastOperation{
			Type: gardencorev1beta1.LastOperationTypeMigrate, State: gardencorev1beta1.LastOperationStateAborted,
			Description: message, LastUpdateTime: metav1.NewTime(r.Clock.Now()),
		}
		if s.MigrationStartTime == nil {
			s.MigrationStartTime = &s.LastOperation.LastUpdateTime
		}
		s.SeedName, s.LastErrors, s.RetryCycleStartTime = nil, nil, nil
	})
	if err != nil {
		return err
	}
	log.FromContext(ctx).Info("Shoot is taken from another seed", "from", from, "reason", reason)
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeWarning, eventFailed, eventFailed, "%s", message)
	if !ordered {
		return nil
	}
	return r.forget(ctx, shoot)
}

// write changes the status as long as nobody else has changed the Shoot: the other seed may still release it.
func (r *Reconciler) write(ctx context.Context, shoot *gardencorev1beta1.Shoot, change func(*gardencorev1beta1.ShootStatus)) error {
	next := shoot.DeepCopy()
	change(&next.Status)
	err := r.Garden.Status().Patch(ctx, next, client.MergeFromWithOptions(shoot, client.MergeFromWithOptimisticLock{}))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of a shoot that moves here: %w", err)
	}
	return nil
}

func (r *Reconciler) forget(ctx context.Context, shoot *gardencorev1beta1.Shoot) error {
	change := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:null}}}`, constants.ShootForceRestore)
	if err := r.Garden.Patch(ctx, shoot.DeepCopy(), client.RawPatch("application/merge-patch+json", change)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove annotation %s: %w", constants.ShootForceRestore, err)
	}
	return nil
}
