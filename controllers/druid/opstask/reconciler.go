// Package opstask reconciles EtcdOpsTasks: it takes a snapshot of an etcd on demand, once, and deletes the task some time after.
package opstask

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/druid/backupserver"
	"github.com/gardener-up/gardener-up/controllers/druid/share"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// ControllerName is the name of the controller and of its field manager.
const ControllerName = "druid-ops-task"

// codeSnapshot is the code of errors in a task's status.
const codeSnapshot = druidv1alpha1.ErrorCode("ERR_SNAPSHOT")

// Defaults of a task that were not set by the API server.
const (
	defaultTTL   = time.Hour
	defaultDelta = time.Minute
	defaultFull  = 15 * time.Minute
)

// Reconciler reconciles one task.
type Reconciler struct {
	// Client reads tasks from a cache.
	Client client.Client
	// Reader reads the objects of an etcd from the API server.
	Reader client.Reader
	// Config reaches the API server, for pods in a network of their own.
	Config *rest.Config
	Clock  clock.PassiveClock
	// Share of the objects that this druid serves.
	Share share.Share
}

// AddToManager watches tasks.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	return builder.ControllerManagedBy(mgr).
		Named(ControllerName).
		For(&druidv1alpha1.EtcdOpsTask{}).
		WithOptions(options.Controller()).
		Complete(share.Limit(r, r.Reader, &druidv1alpha1.EtcdOpsTask{}, r.Share))
}

// Reconcile does the task. A task that this process did not end, because it was killed, is done again: one snapshot more does no harm.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	task := &druidv1alpha1.EtcdOpsTask{}
	if err := r.Client.Get(ctx, req.NamespacedName, task); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if task.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	if ended(task) {
		return r.expire(ctx, task)
	}
	if err := r.set(ctx, task, druidv1alpha1.EtcdOpsTaskStateInProgress, "The snapshot is being taken.", nil); err != nil {
		return reconcile.Result{}, err
	}
	said, err := r.take(ctx, task)
	state := druidv1alpha1.EtcdOpsTaskStateSucceeded
	switch {
	case errors.Is(err, errRejected):
		state = druidv1alpha1.EtcdOpsTaskStateRejected
	case err != nil:
		state = druidv1alpha1.EtcdOpsTaskStateFailed
	}
	if err := r.set(ctx, task, state, said, err); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: ttl(task)}, nil
}

func ended(task *druidv1alpha1.EtcdOpsTask) bool {
	switch ptr.Deref(task.Status.State, "") {
	case druidv1alpha1.EtcdOpsTaskStateSucceeded, druidv1alpha1.EtcdOpsTaskStateFailed, druidv1alpha1.EtcdOpsTaskStateRejected:
		return true
	}
	return false
}

func ttl(task *druidv1alpha1.EtcdOpsTask) time.Duration {
	return seconds(task.Spec.TTLSecondsAfterFinished, defaultTTL)
}

func seconds(n *int32, otherwise time.Duration) time.Duration {
	if n == nil {
		return otherwise
	}
	return time.Duration(*n) * time.Second
}

// expire deletes a task some time after its end.
func (r *Reconciler) expire(ctx context.Context, task *druidv1alpha1.EtcdOpsTask) (reconcile.Result, error) {
	end := ptr.Deref(task.Status.LastTransitionTime, task.CreationTimestamp)
	if left := end.Add(ttl(task)).Sub(r.Clock.Now()); left > 0 {
		return reconcile.Result{RequeueAfter: left}, nil
	}
	return reconcile.Result{}, client.IgnoreNotFound(r.Client.Delete(ctx, task))
}

// errRejected means that the task cannot be begun.
var errRejected = errors.New("the task cannot be done")

func (r *Reconciler) take(ctx context.Context, task *druidv1alpha1.EtcdOpsTask) (string, error) {
	wanted := task.Spec.Config.OnDemandSnapshot
	if wanted == nil || ptr.Deref(task.Spec.EtcdName, "") == "" {
		return "", fmt.Errorf("%w: spec.etcdName and spec.config.onDemandSnapshot are required", errRejected)
	}
	kind, timeout := backupserver.Delta, seconds(wanted.TimeoutSecondsDelta, defaultDelta)
	if wanted.Type == druidv1alpha1.OnDemandSnapshotTypeFull {
		kind, timeout = backupserver.Full, seconds(wanted.TimeoutSecondsFull, defaultFull)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	key := types.NamespacedName{Namespace: task.Namespace, Name: *task.Spec.EtcdName}
	made, err := backupserver.Take(ctx, r.Reader, r.Config, key, kind, ptr.Deref(wanted.IsFinal, false))
	if apierrors.IsNotFound(err) || errors.Is(err, backupserver.ErrNoBackups) || errors.Is(err, backupserver.ErrNotRunning) {
		return "", fmt.Errorf("%w: %w", errRejected, err)
	}
	switch {
	case err != nil:
		return "", err
	case made == nil:
		return "There were no changes since the last snapshot.", nil
	default:
		return fmt.Sprintf("Snapshot %s is taken.", made.SnapName), nil
	}
}

// set writes the status.
func (r *Reconciler) set(ctx context.Context, task *druidv1alpha1.EtcdOpsTask, state druidv1alpha1.EtcdOpsTaskState, said string, err error) error {
	before := task.DeepCopy()
	now := metav1.NewTime(r.Clock.Now())
	status := &task.Status
	if ptr.Deref(status.State, "") != state {
		status.State, status.LastTransitionTime = &state, &now
	}
	if status.StartedAt == nil {
		status.StartedAt = &now
	}
	operation := druidv1alpha1.LastOperationStateProcessing
	switch state {
	case druidv1alpha1.EtcdOpsTaskStateSucceeded:
		operation = druidv1alpha1.LastOperationStateSucceeded
	case druidv1alpha1.EtcdOpsTaskStateFailed, druidv1alpha1.EtcdOpsTaskStateRejected:
		operation, said = druidv1alpha1.LastOperationStateError, err.Error()
		status.LastErrors = []druidv1alpha1.LastError{{Code: codeSnapshot, Description: err.Error(), ObservedAt: now}}
	}
	status.LastOperation = &druidv1alpha1.LastOperation{
		Type: druidv1alpha1.LastOperationTypeReconcile, State: operation, Description: said,
		RunID: string(controller.ReconcileIDFromContext(ctx)), LastUpdateTime: now,
	}
	return patch.Status(ctx, r.Client, task, before)
}
