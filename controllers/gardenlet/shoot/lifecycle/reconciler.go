// Package lifecycle decides when a Shoot is reconciled or deleted, runs the flow for it, and reports the result in the
// status. It does not know what the flow does.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/rotation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/status"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// seedRetry is the interval for checking a seed that is not ready.
	seedRetry = 15 * time.Second
	// seedRetryFirst is used while the seed is being prepared: in a landscape that just starts, it is ready in a
	// moment.
	seedRetryFirst = time.Second
)

// Reconcile checks whether the Shoot is due, and runs the flow if it is. It returns when the flow has ended.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.Garden.Get(ctx, req.NamespacedName, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	switch {
	case helper.ResponsibleSeed(shoot) != r.Settings.SeedName:
		return reconcile.Result{}, nil
	case shoot.DeletionTimestamp != nil && !controllerutil.ContainsFinalizer(shoot, constants.GardenerName):
		return reconcile.Result{}, nil
	case shoot.DeletionTimestamp != nil && shoot.Status.UID == "":
		return reconcile.Result{}, r.release(ctx, shoot) // nothing exists for it
	}
	if Ignored(shoot, r.Settings.RespectIgnore) || GivenUp(shoot, r.Settings.Gardener.Version) {
		return reconcile.Result{}, r.onlySync(ctx, shoot)
	}
	if wait := NextRun(shoot, r.Settings.Gardener.Version, r.Settings.SyncPeriod, r.Clock.Now()); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	result, err := r.act(ctx, shoot)
	if status.Lost(err) {
		log.FromContext(ctx).Info("Shoot was taken by another seed during an operation", "error", err.Error())
		return reconcile.Result{}, nil
	}
	return result, err
}

// onlySync updates the Cluster object of a Shoot without an operation, so that extensions stay informed.
func (r *Reconciler) onlySync(ctx context.Context, shoot *gardencorev1beta1.Shoot) error {
	if shoot.Status.UID == "" {
		return nil
	}
	op, err := r.load(ctx, shoot)
	if err != nil {
		return err
	}
	return syncCluster(ctx, r.Seed, op, shoot)
}

func (r *Reconciler) load(ctx context.Context, shoot *gardencorev1beta1.Shoot) (*operation.Operation, error) {
	identity, err := r.GardenIdentity(ctx)
	if err != nil {
		return nil, err
	}
	return operation.Load(ctx, r.GardenReader, shoot, r.Settings.SeedName, identity)
}

// act runs one operation, from its start to its end in the status.
func (r *Reconciler) act(ctx context.Context, shoot *gardencorev1beta1.Shoot) (reconcile.Result, error) {
	kind := OperationType(shoot)
	if wait, err := r.seedsReady(ctx, shoot); wait > 0 || err != nil {
		return reconcile.Result{RequeueAfter: wait}, err
	}
	annotation := requested(shoot)
	if shoot.DeletionTimestamp == nil {
		if err := patch.Metadata(ctx, r.Garden, shoot, func() { controllerutil.AddFinalizer(shoot, constants.GardenerName) }); err != nil {
			return reconcile.Result{}, err
		}
	}
	op, loadErr := r.load(ctx, shoot)
	writer, lag := r.writer(shoot), r.lagging(ctx, shoot, annotation)
	if err := writer.Update(ctx, func(s *gardencorev1beta1.ShootStatus) { r.start(s, shoot, op, kind, annotation, lag == "") }); err != nil {
		return reconcile.Result{}, err
	}
	if annotation != "" {
		current := writer.Shoot()
		if err := patch.Metadata(ctx, r.Garden, current, func() { takeUp(current.Annotations, annotation, lag != "") }); err != nil {
			return reconcile.Result{}, err
		}
		r.reportDeferred(ctx, shoot, lag)
	}
	description, event := startText(kind)
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeNormal, event, event, "%s", description)

	err, key := loadErr, rotation.EncryptionKey{}
	if err == nil {
		op.Shoot = writer.Shoot()
		running, end := r.interruptible(ctx, shoot)
		key, err = r.run(running, op, writer, kind)
		interruption := (*pointlessError)(nil)
		errors.As(context.Cause(running), &interruption)
		end()
		if err != nil && interruption != nil && ctx.Err() == nil {
			log.FromContext(ctx).Info("Operation was interrupted", "operation", kind, "reason", interruption.reason)
			return reconcile.Result{RequeueAfter: interruptPeriod}, nil
		}
	}
	if ctx.Err() != nil { // the process ends; the operation continues when it starts again
		return reconcile.Result{}, context.Cause(ctx)
	}
	if err != nil {
		return reconcile.Result{}, r.fail(ctx, shoot, writer, kind, err)
	}
	return r.succeed(ctx, shoot, writer, op, kind, key)
}

func (r *Reconciler) writer(shoot *gardencorev1beta1.Shoot) *status.Writer {
	return status.New(status.Config{Client: r.Garden, Reader: r.GardenReader, SeedName: r.Settings.SeedName}, shoot)
}

// seedsReady returns how long to wait for the seed, and for the seed that the shoot moves to; zero if they are ready.
func (r *Reconciler) seedsReady(ctx context.Context, shoot *gardencorev1beta1.Shoot) (time.Duration, error) {
	if wait, err := r.seedReady(ctx, r.Settings.SeedName); wait > 0 || err != nil || !Moving(shoot) {
		return wait, err
	}
	wait, err := r.seedReady(ctx, *shoot.Spec.SeedName)
	if wait > 0 {
		log.FromContext(ctx).Info("Shoot waits for the seed that it moves to", "seed", *shoot.Spec.SeedName)
	}
	return wait, err
}

// seedReady returns how long to wait for a seed; zero if it is ready. Another seed than the own one must be able to take a shoot.
func (r *Reconciler) seedReady(ctx context.Context, name string) (time.Duration, error) {
	seed := &gardencorev1beta1.Seed{}
	if err := r.GardenReader.Get(ctx, client.ObjectKey{Name: name}, seed); err != nil {
		return 0, fmt.Errorf("read seed %q: %w", name, err)
	}
	ready, last := conditions.Get(seed.Status.Conditions, gardencorev1beta1.SeedGardenletReady), seed.Status.LastOperation
	buckets := conditions.Get(seed.Status.Conditions, gardencorev1beta1.SeedBackupBucketsReady)
	switch {
	case name != r.Settings.SeedName && buckets != nil && buckets.Status == gardencorev1beta1.ConditionFalse: // a shoot comes with its backups
		return seedRetry, nil
	case ready == nil, last == nil, last.State == gardencorev1beta1.LastOperationStateProcessing:
		return seedRetryFirst, nil
	case ready.Status != gardencorev1beta1.ConditionTrue, last.State != gardencorev1beta1.LastOperationStateSucceeded:
		return seedRetry, nil
	}
	return 0, nil
}

// start records that an operation has begun. Without an operation object the identity of the shoot stays empty: nothing
// exists in the seed, and a deletion has nothing to remove. The SSH key rotates only if the nodes allow it.
func (r *Reconciler) start(s *gardencorev1beta1.ShootStatus, shoot *gardencorev1beta1.Shoot, op *operation.Operation, kind gardencorev1beta1.LastOperationType, annotation string, keys bool) {
	now := r.now()
	if NewRetryCycle(shoot, kind, r.Settings.Gardener.Version) || annotation == constants.ShootOperationRetry {
		s.RetryCycleStartTime = &now
	}
	s.Gardener = r.Settings.Gardener
	s.ObservedGeneration = shoot.Generation
	s.SeedName = &r.Settings.SeedName
	if kind == gardencorev1beta1.LastOperationTypeMigrate && s.MigrationStartTime == nil {
		s.MigrationStartTime = &now
	}
	description, _ := startText(kind)
	s.LastOperation = &gardencorev1beta1.LastOperation{
		Type: kind, State: gardencorev1beta1.LastOperationStateProcessing, Description: description, LastUpdateTime: now,
	}
	if op != nil {
		s.TechnicalID = op.TechnicalID()
		if s.UID == "" {
			s.UID = shoot.UID
		}
	}
	if s.Credentials == nil || s.Credentials.EncryptionAtRest == nil {
		noteEncryption(s, shoot) // before anything is stored
	}
	if r.Settings.NoAuthorityRotation {
		annotation = rotation.WithoutAuthorities(annotation)
	}
	all := rotations(s, shoot, now.Time)
	all.SSH = all.SSH && keys
	all.Start(annotation)
}

// fail records an error. It returns the error if it is retried, so that the queue delays the attempts.
func (r *Reconciler) fail(ctx context.Context, shoot *gardencorev1beta1.Shoot, writer *status.Writer, kind gardencorev1beta1.LastOperationType, cause error) error {
	var failure Failure
	err := writer.Update(ctx, func(s *gardencorev1beta1.ShootStatus) {
		failure = Fail(cause, s.RetryCycleStartTime, r.Settings.RetryDuration, r.Clock.Now())
		s.LastErrors = failure.Errors
		progress := int32(0)
		if s.LastOperation != nil {
			progress = s.LastOperation.Progress
		}
		s.LastOperation = &gardencorev1beta1.LastOperation{
			Type: kind, State: failure.State, Description: failure.Description, Progress: progress, LastUpdateTime: r.now(),
		}
	})
	if status.Lost(err) {
		return err
	}
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeWarning, errorEvent(kind), errorEvent(kind), "%s", failure.Description)
	err = errors.Join(err, r.label(ctx, writer))
	if failure.State == gardencorev1beta1.LastOperationStateFailed {
		log.FromContext(ctx).Info("Operation failed for good", "operation", kind, "reason", failure.Description)
		return err
	}
	return errors.Join(cause, err)
}

// label updates the health label of the shoot.
func (r *Reconciler) label(ctx context.Context, writer *status.Writer) error {
	shoot := writer.Shoot()
	return SetHealthLabel(ctx, r.Garden, shoot)
}
