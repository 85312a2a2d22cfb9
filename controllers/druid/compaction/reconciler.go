// Package compaction merges the snapshots of etcds: a Job makes a full snapshot of the newest one and the deltas after it, when there are many events in them. It
// serves Etcds with a store that ask for it by spec.backup.snapshotCompaction.
package compaction

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/druid/jobs"
	"github.com/gardener-up/gardener-up/controllers/druid/place"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// ControllerName is the name of the controller and of its field manager.
const ControllerName = "druid-compaction"

const (
	// look is the time between two looks at the Leases, which members renew every half minute.
	look = time.Minute
	// retry is how long a Job that failed stays, and nothing else is tried.
	retry = 10 * time.Minute
)

// Settings of compactions.
type Settings struct {
	// Workers is the number of Etcds whose snapshots are looked at at once; 3 when zero, as with etcd-druid.
	Workers int
	// Deadline is how long a Job may take; 3 hours when zero, as with etcd-druid.
	Deadline time.Duration
}

// WithDefaults returns the settings with defaults for those that are zero.
func (s Settings) WithDefaults() Settings {
	return Settings{Workers: cmp.Or(s.Workers, 3), Deadline: cmp.Or(s.Deadline, 3*time.Hour)}
}

// Reconciler merges the snapshots of one Etcd.
type Reconciler struct {
	jobs.Inputs
	// Deadline is how long a Job may take.
	Deadline time.Duration
	// Full takes a full snapshot of a running etcd.
	Full func(context.Context, types.NamespacedName) error
}

// AddToManager watches Etcds and Jobs.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	return r.Add(mgr, ControllerName, &druidv1alpha1.Etcd{}, r, options)
}

// Reconcile ends a Job, or begins one if there are enough events.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	etcd := &druidv1alpha1.Etcd{}
	if err := r.Client.Get(ctx, req.NamespacedName, etcd); err != nil {
		deltaEvents.DeleteLabelValues(req.Namespace, req.Name)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	job := &batchv1.Job{}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: etcd.Namespace, Name: jobName(etcd)}, job)
	switch {
	case err != nil && !apierrors.IsNotFound(err):
		return reconcile.Result{}, err
	case err == nil && etcd.DeletionTimestamp != nil: // its control plane goes or moves, and nobody needs what the Job makes
		return reconcile.Result{}, r.end(ctx, job)
	case err == nil:
		return r.follow(ctx, etcd, job)
	case etcd.DeletionTimestamp != nil:
		return reconcile.Result{}, nil
	}
	return r.begin(ctx, etcd)
}

func (r *Reconciler) served(etcd *druidv1alpha1.Etcd) bool {
	_, suspended := etcd.Annotations[druidv1alpha1.AnnotationSuspend]
	at := etcd.Spec.Backup.Store
	if suspended || at == nil || etcd.Spec.Backup.SnapshotCompaction == nil {
		return false
	}
	_, is := jobs.Remote(at)
	return is || r.Local(at)
}

// begin looks at the Leases, and does what they ask for.
func (r *Reconciler) begin(ctx context.Context, etcd *druidv1alpha1.Etcd) (reconcile.Result, error) {
	if !r.served(etcd) {
		return reconcile.Result{}, nil
	}
	full, errFull := r.lease(ctx, etcd, "-full-snap")
	delta, errDelta := r.lease(ctx, etcd, "-delta-snap")
	if err := errors.Join(errFull, errDelta); err != nil {
		if apierrors.IsNotFound(errFull) || apierrors.IsNotFound(errDelta) {
			err = nil // the druid has not made them yet
		}
		return reconcile.Result{RequeueAfter: look}, err
	}
	pending := events(full, delta)
	deltaEvents.WithLabelValues(etcd.Namespace, etcd.Name).Set(float64(pending))
	takes := etcd.Spec.Replicas > 0
	switch decide(pending, etcd.Spec.Backup.SnapshotCompaction, takes && failed(full)) {
	case Merge:
		if err := place.Check(ctx, r.Reader, etcd.Namespace, etcd.Spec.Backup.Store, place.Write); err != nil {
			return reconcile.Result{RequeueAfter: look}, fmt.Errorf("spec.backup.store %w", err)
		}
		log.FromContext(ctx).Info("Merging snapshots", "events", pending)
		_, err := patch.Applier{Client: r.Client, Owner: ControllerName, Pods: r.Pods}.Apply(ctx, r.jobOf(etcd, revision(delta)))
		return reconcile.Result{}, err
	case Full:
		if !takes {
			break
		}
		log.FromContext(ctx).Info("Taking a full snapshot instead of merging others", "events", pending)
		err := r.Full(ctx, client.ObjectKeyFromObject(etcd))
		triggered.WithLabelValues(fmt.Sprint(err == nil)).Inc()
		return reconcile.Result{RequeueAfter: look}, err
	}
	return reconcile.Result{RequeueAfter: look}, nil
}

func (r *Reconciler) lease(ctx context.Context, etcd *druidv1alpha1.Etcd, suffix string) (*coordinationv1.Lease, error) {
	lease := &coordinationv1.Lease{}
	return lease, r.Reader.Get(ctx, client.ObjectKey{Namespace: etcd.Namespace, Name: etcd.Name + suffix}, lease)
}

// follow notes how a Job has ended, and deletes it: at once if it succeeded, later if it failed.
func (r *Reconciler) follow(ctx context.Context, etcd *druidv1alpha1.Etcd, job *batchv1.Job) (reconcile.Result, error) {
	switch ended := endOf(job); {
	case job.DeletionTimestamp != nil:
		return reconcile.Result{RequeueAfter: look}, nil
	case !metav1.IsControlledBy(job, etcd): // that of a former Etcd of this name
	case ended == nil:
		return reconcile.Result{}, nil
	case ended.Type == batchv1.JobFailed:
		if err := r.note(ctx, etcd, job, false, ended.Message); err != nil {
			return reconcile.Result{}, err
		}
		if left := ended.LastTransitionTime.Add(retry).Sub(r.Clock.Now()); left > 0 {
			return reconcile.Result{RequeueAfter: min(left, retry)}, nil
		}
	default:
		if err := r.note(ctx, etcd, job, true, ""); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{RequeueAfter: look}, r.end(ctx, job)
}

// end deletes a Job with its pods.
func (r *Reconciler) end(ctx context.Context, job *batchv1.Job) error {
	err := r.Client.Delete(ctx, job, client.Preconditions{UID: &job.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if apierrors.IsConflict(err) { // the cache has a former one
		return nil
	}
	return client.IgnoreNotFound(err)
}

func endOf(job *batchv1.Job) *batchv1.JobCondition {
	for i := range job.Status.Conditions {
		is := &job.Status.Conditions[i]
		if (is.Type == batchv1.JobComplete || is.Type == batchv1.JobFailed) && is.Status == corev1.ConditionTrue {
			return is
		}
	}
	return nil
}

// note writes the result of a Job into the Lease for full snapshots, where druid finds it for the condition of the Etcd.
func (r *Reconciler) note(ctx context.Context, etcd *druidv1alpha1.Etcd, job *batchv1.Job, succeeded bool, message string) error {
	full, err := r.lease(ctx, etcd, "-full-snap")
	if err != nil {
		return fmt.Errorf("read Lease for full snapshots: %w", err)
	}
	next := Result{Succeeded: succeeded, Job: string(job.UID), Message: message}
	last := ResultOf(full)
	end, _ := strconv.ParseInt(job.Annotations[revisionAnnotation], 10, 64)
	if succeeded {
		next.Revision = end
	} else if next.Failed = end; last != nil {
		next.Revision = last.Revision
	}
	if last != nil && *last == next {
		return nil
	}
	content, err := json.Marshal(next)
	if err != nil {
		return err
	}
	before := full.DeepCopy()
	metav1.SetMetaDataAnnotation(&full.ObjectMeta, Annotation, string(content))
	if err := r.Client.Patch(ctx, full, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("note the result of a compaction: %w", err)
	}
	observe(job, succeeded, r.Clock.Now())
	return nil
}
