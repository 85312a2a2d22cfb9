// Package copybackups reconciles EtcdCopyBackupsTasks. A Job copies the snapshots. It has the directory of the seed's backups, so local
// stores of a task are buckets of the same seed. Others are in object stores, whose credentials are in Secrets.
package copybackups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/druid/jobs"
	"github.com/gardener-up/gardener-up/controllers/druid/place"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// ControllerName is the name of the controller and of its field manager.
const ControllerName = "druid-copy-backups"

// secretRetry is the pause while credentials of a store do not exist. Nothing watches them.
const secretRetry = 2 * time.Second

// Reconciler reconciles one task.
type Reconciler struct {
	jobs.Inputs
	// Recorder tells refusals.
	Recorder events.EventRecorder
}

// AddToManager watches tasks and their Jobs.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	return r.Add(mgr, ControllerName, &druidv1alpha1.EtcdCopyBackupsTask{}, r, options)
}

// errMissing is the error for credentials of a store that do not exist yet.
var errMissing = errors.New("does not exist")

// Reconcile makes the Job, and reports how it ends. A task that is refused has failed. A task that has ended stays as it is. Its Job is
// deleted with it.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	task := &druidv1alpha1.EtcdCopyBackupsTask{}
	if err := r.Client.Get(ctx, req.NamespacedName, task); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if task.DeletionTimestamp != nil || ended(task) {
		return reconcile.Result{}, nil
	}
	before := task.DeepCopy()
	job, err := r.job(ctx, task)
	r.report(task, job, err)
	saving := patch.Status(ctx, r.Client, task, before)
	switch {
	case errors.Is(err, errMissing):
		return reconcile.Result{RequeueAfter: secretRetry}, saving
	case errors.Is(err, place.ErrRefused):
		r.Recorder.Eventf(task, nil, corev1.EventTypeWarning, "Refused", "Reconcile", "%s", err.Error())
		return reconcile.Result{}, saving
	}
	return reconcile.Result{}, errors.Join(err, saving)
}

func ended(task *druidv1alpha1.EtcdCopyBackupsTask) bool {
	return slices.ContainsFunc(task.Status.Conditions, func(is druidv1alpha1.Condition) bool {
		return is.Type == druidv1alpha1.EtcdCopyBackupsTaskSucceeded || is.Type == druidv1alpha1.EtcdCopyBackupsTaskFailed
	})
}

// job returns the Job of the task, and makes it if needed.
func (r *Reconciler) job(ctx context.Context, task *druidv1alpha1.EtcdCopyBackupsTask) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: task.Namespace, Name: jobName(task)}, job)
	switch {
	case err == nil && metav1.IsControlledBy(job, task):
		return job, nil
	case err == nil: // it goes with its task, and says nothing about this one
		return nil, r.remove(ctx, job)
	case !apierrors.IsNotFound(err):
		return nil, err
	}
	if err := r.check(ctx, task); err != nil {
		return nil, err
	}
	for _, at := range []druidv1alpha1.StoreSpec{task.Spec.SourceStore, task.Spec.TargetStore} {
		if at.SecretRef == nil {
			continue
		}
		secret := &metav1.PartialObjectMetadata{}
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := r.Reader.Get(ctx, client.ObjectKey{Namespace: task.Namespace, Name: at.SecretRef.Name}, secret)
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("secret %q %w", at.SecretRef.Name, errMissing)
		}
		if err != nil {
			return nil, fmt.Errorf("read secret %q: %w", at.SecretRef.Name, err)
		}
	}
	_, err = patch.Applier{Client: r.Client, Owner: ControllerName, Pods: r.Pods}.Apply(ctx, r.jobOf(task))
	return nil, err
}

// remove deletes a Job of a former task of the same name with its pods. Another one is made when it is gone.
func (r *Reconciler) remove(ctx context.Context, job *batchv1.Job) error {
	err := r.Client.Delete(ctx, job, client.Preconditions{UID: &job.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete the Job of a former task: %w", err)
	}
	return nil
}

// report writes the status. The conditions appear when the task has ended.
func (r *Reconciler) report(task *druidv1alpha1.EtcdCopyBackupsTask, job *batchv1.Job, err error) {
	task.Status.ObservedGeneration = ptr.To(task.Generation)
	task.Status.LastError = nil
	if err != nil {
		task.Status.LastError = ptr.To(err.Error())
	}
	if errors.Is(err, place.ErrRefused) {
		r.end(task, druidv1alpha1.EtcdCopyBackupsTaskFailed, "Refused", err.Error())
	}
	if job == nil {
		return
	}
	for _, is := range job.Status.Conditions {
		kind, known := map[batchv1.JobConditionType]druidv1alpha1.ConditionType{
			batchv1.JobComplete: druidv1alpha1.EtcdCopyBackupsTaskSucceeded, batchv1.JobFailed: druidv1alpha1.EtcdCopyBackupsTaskFailed,
		}[is.Type]
		switch {
		case !known || is.Status != corev1.ConditionTrue:
		case is.Type == batchv1.JobFailed && is.Reason == batchv1.JobReasonPodFailurePolicy: // whose only rule is about an empty source
			source := &task.Spec.SourceStore
			r.end(task, kind, "SourceEmpty", fmt.Sprintf("the source, %q in bucket %q, has no full snapshot, without which a new etcd would begin empty or with old data: put its backups back",
				source.Prefix, ptr.Deref(source.Container, "")))
			r.Recorder.Eventf(task, nil, corev1.EventTypeWarning, "SourceEmpty", "Reconcile", "%s", task.Status.Conditions[len(task.Status.Conditions)-1].Message)
		default:
			r.end(task, kind, cmp.Or(is.Reason, "JobEnded"), is.Message)
		}
	}
}

func (r *Reconciler) end(task *druidv1alpha1.EtcdCopyBackupsTask, how druidv1alpha1.ConditionType, reason, message string) {
	now := metav1.NewTime(r.Clock.Now())
	task.Status.Conditions = append(task.Status.Conditions, druidv1alpha1.Condition{
		Type: how, Status: druidv1alpha1.ConditionTrue, Reason: reason, Message: message, LastTransitionTime: now, LastUpdateTime: now,
	})
}
