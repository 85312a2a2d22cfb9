package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/encryption"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/rotation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/status"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/ownership"
)

// run builds and runs the flow for the operation. It returns how far the rotation of the encryption key has come.
func (r *Reconciler) run(ctx context.Context, op *operation.Operation, writer *status.Writer, kind gardencorev1beta1.LastOperationType) (rotation.EncryptionKey, error) {
	none := rotation.EncryptionKey{}
	if err := syncCluster(ctx, r.Seed, op, op.Shoot); err != nil {
		return none, err
	}
	found, err := facts.Load(ctx, r.Seed, op.TechnicalID(), op.Shoot.Name)
	if err != nil {
		return none, err
	}
	seedIdentity, err := r.SeedIdentity(ctx)
	if err != nil {
		return none, err
	}
	nextIdentity, err := r.nextIdentity(ctx, op.Shoot, kind)
	if err != nil {
		return none, err
	}
	saved, err := r.saved(ctx, op.Shoot, kind)
	if err != nil {
		return none, err
	}
	available, err := health.Availability(ctx, r.Seed, op.Shoot)
	if err != nil {
		return none, err
	}
	published := func() {}
	if r.Resolver != nil && bound(kind) && op.ChecksOwner() {
		var end func()
		ctx, published, end = ownership.Operation(ctx, r.Resolver, op.Internal.Owner(), seedIdentity)
		defer end()
	}
	plan := flow.New(flow.Config{
		Operation: op, Status: writer, Clusters: r.Clusters, Access: r.Access, Gardenlet: r.Gardenlet, Clock: r.Clock,
		SeedIdentity: seedIdentity, NextSeedIdentity: nextIdentity, OwnerPublished: published,
		Facts: found, Restored: saved, Availability: available,
	})
	build := plan.Reconcile
	switch {
	case kind == gardencorev1beta1.LastOperationTypeDelete && helper.DeletionIsForced(op.Shoot):
		build = plan.ForceDelete
	case kind == gardencorev1beta1.LastOperationTypeDelete:
		build = plan.Delete
	case kind == gardencorev1beta1.LastOperationTypeMigrate:
		build = plan.Migrate
	}
	steps, err := build()
	if err != nil {
		return none, err
	}
	err = steps.Run(ctx, graph.Options{
		Log: log.FromContext(ctx), ProgressPeriod: r.Settings.ProgressPeriod,
		Progress: func(ctx context.Context, progress graph.Progress) { r.report(ctx, writer, progress) },
	})
	if lost := ownership.Lost(ctx); lost != nil {
		return none, fmt.Errorf("the operation was aborted: %w", lost)
	}
	if err != nil || kind == gardencorev1beta1.LastOperationTypeDelete || kind == gardencorev1beta1.LastOperationTypeMigrate {
		return none, err
	}
	return plan.EncryptionKey(), plan.Secrets().Cleanup(ctx)
}

// report writes the progress of the flow to the status. A lost report is replaced by the next one.
func (r *Reconciler) report(ctx context.Context, writer *status.Writer, progress graph.Progress) {
	err := writer.Update(ctx, func(s *gardencorev1beta1.ShootStatus) {
		if s.LastOperation == nil {
			return
		}
		s.LastOperation.Progress = progress.Percent
		s.LastOperation.Description = progress.Description
		s.LastOperation.LastUpdateTime = r.now()
	})
	if err != nil {
		log.FromContext(ctx).V(1).Info("Could not report progress", "error", err.Error())
	}
}

// succeed records the end of an operation. The next health check, which follows at once, must confirm all conditions
// that are not False.
func (r *Reconciler) succeed(ctx context.Context, shoot *gardencorev1beta1.Shoot, writer *status.Writer, op *operation.Operation, kind gardencorev1beta1.LastOperationType, key rotation.EncryptionKey) (reconcile.Result, error) {
	switch kind {
	case gardencorev1beta1.LastOperationTypeDelete:
		return reconcile.Result{}, r.deleted(ctx, shoot, writer, op)
	case gardencorev1beta1.LastOperationTypeMigrate:
		return reconcile.Result{}, r.migrated(ctx, shoot, writer, op)
	}
	description, event := doneText(kind)
	// The care controller may have written conditions since the run began, so they are read again.
	if err := writer.Refresh(ctx); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	err := writer.Update(ctx, func(s *gardencorev1beta1.ShootStatus) {
		now := r.now()
		s.LastOperation = &gardencorev1beta1.LastOperation{
			Type: kind, State: gardencorev1beta1.LastOperationStateSucceeded, Description: description, Progress: 100, LastUpdateTime: now,
		}
		s.LastErrors = nil
		s.RetryCycleStartTime, s.MigrationStartTime = nil, nil
		s.IsHibernated = helper.HibernationIsEnabled(op.Shoot)
		s.Conditions = Unconfirmed(s.Conditions, now)
		noteEncryption(s, op.Shoot)
		rotations(s, op.Shoot, now.Time).Finish(key)
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeNormal, event, event, "%s", description)
	done := writer.Shoot()
	if err := r.clearTasks(ctx, op.Shoot, done); err != nil {
		return reconcile.Result{}, err
	}
	if err := SetHealthLabel(ctx, r.Garden, done); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: untilSync(done, r.Settings.SyncPeriod)}, syncCluster(ctx, r.Seed, op, done)
}

// Unconfirmed returns the conditions, with those that are not False in state Progressing.
func Unconfirmed(conditions []gardencorev1beta1.Condition, now metav1.Time) []gardencorev1beta1.Condition {
	out := slices.Clone(conditions)
	for i := range out {
		if out[i].Status == gardencorev1beta1.ConditionFalse || out[i].Status == gardencorev1beta1.ConditionProgressing {
			continue
		}
		out[i].Status = gardencorev1beta1.ConditionProgressing
		out[i].LastTransitionTime, out[i].LastUpdateTime = now, now
	}
	return out
}

// noteEncryption records which resources are encrypted at rest now. A sleeping shoot has rewritten nothing.
func noteEncryption(s *gardencorev1beta1.ShootStatus, shoot *gardencorev1beta1.Shoot) {
	if s.Credentials == nil {
		s.Credentials = &gardencorev1beta1.ShootCredentials{}
	}
	if s.Credentials.EncryptionAtRest == nil || !helper.HibernationIsEnabled(shoot) {
		s.Credentials.EncryptionAtRest = ptr.To(encryption.Wanted(shoot))
	}
}

// deleted removes the Cluster and the finalizer of a Shoot whose control plane is gone.
func (r *Reconciler) deleted(ctx context.Context, shoot *gardencorev1beta1.Shoot, writer *status.Writer, op *operation.Operation) error {
	cluster := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: op.TechnicalID()}}
	if err := r.Seed.Delete(ctx, cluster); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete cluster %q: %w", cluster.Name, err)
	}
	description, event := doneText(gardencorev1beta1.LastOperationTypeDelete)
	err := writer.Update(ctx, func(s *gardencorev1beta1.ShootStatus) {
		s.LastOperation = &gardencorev1beta1.LastOperation{
			Type: gardencorev1beta1.LastOperationTypeDelete, State: gardencorev1beta1.LastOperationStateSucceeded,
			Description: description, Progress: 100, LastUpdateTime: r.now(),
		}
		s.LastErrors = nil
	})
	if err != nil {
		return err
	}
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeNormal, event, event, "%s", description)
	return r.release(ctx, writer.Shoot())
}

// release removes the finalizer. It reads the Shoot again, since other controllers change its metadata and a conflict
// would only cause another run.
func (r *Reconciler) release(ctx context.Context, shoot *gardencorev1beta1.Shoot) error {
	current := &gardencorev1beta1.Shoot{}
	if err := r.GardenReader.Get(ctx, client.ObjectKeyFromObject(shoot), current); err != nil {
		return client.IgnoreNotFound(err)
	}
	return client.IgnoreNotFound(patch.Metadata(ctx, r.Garden, current, func() {
		controllerutil.RemoveFinalizer(current, constants.GardenerName)
	}))
}

// bound reports whether an operation may only go on as long as this seed is the owner. A migration gives the shoot up itself.
func bound(kind gardencorev1beta1.LastOperationType) bool {
	return kind != gardencorev1beta1.LastOperationTypeMigrate
}

// rotations are those in the status of the Shoot.
func rotations(s *gardencorev1beta1.ShootStatus, shoot *gardencorev1beta1.Shoot, now time.Time) rotation.Rotations {
	return rotation.Rotations{Status: s, Workers: shoot.Spec.Provider.Workers, SSH: operation.SSHAccess(shoot), Now: now}
}
