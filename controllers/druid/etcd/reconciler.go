package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/druid/place"
	"github.com/gardener-up/gardener-up/controllers/druid/share"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

const (
	finalizer           = "druid.gardener.cloud/etcd-druid"
	operationAnnotation = "gardener.cloud/operation"
	operationReconcile  = "reconcile"

	// secretRetry is the pause while referenced secrets do not exist. Nothing watches them.
	secretRetry = time.Second
	// refusedRetry is the pause after a store was refused. Nothing watches the objects that decide it, apart from the Etcd.
	refusedRetry = time.Minute
)

// Reconciler reconciles one Etcd.
type Reconciler struct {
	// Client reads Etcds and StatefulSets from a cache.
	Client client.Client
	// Reader reads all other objects, which happens rarely, from the API server.
	Reader client.Reader
	// Recorder tells refusals.
	Recorder events.EventRecorder
	// Clock for the times in the status.
	Clock clock.PassiveClock
	// Image of the servers.
	Image string
	// Pods signs the pods of the servers; nil signs none.
	Pods *podsignature.Signer
	// Backups is the directory of backup buckets on nodes; empty if there is none.
	Backups string
	// PrivateNetworks are the private networks that object stores may be in.
	PrivateNetworks []netip.Prefix
	// OwnerServer is host:port of the name server that members ask for owners in OwnerDomain; empty for those of their pods.
	OwnerServer, OwnerDomain string
	// IgnoreOperationAnnotation applies every change of the spec.
	IgnoreOperationAnnotation bool
	// Share of the objects that this druid serves.
	Share share.Share
}

// Reconcile applies the spec if requested, and always computes the status. The annotation that requests it is
// removed last: if an Etcd has no annotation and its observedGeneration is current, its status describes the applied
// spec.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	etcd := &druidv1alpha1.Etcd{}
	if err := r.Client.Get(ctx, req.NamespacedName, etcd); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if etcd.DeletionTimestamp != nil {
		return reconcile.Result{}, r.delete(ctx, etcd)
	}
	set, err := r.statefulSet(ctx, etcd)
	if err != nil {
		return reconcile.Result{}, err
	}
	if suspended(etcd) {
		return r.skip(ctx, etcd, set)
	}
	if etcd.Annotations[recoverAnnotation] != "" {
		return r.recover(ctx, etcd, set)
	}
	set, result, err := r.applyAsRequested(ctx, etcd, set)
	pause, rolling := r.rollOut(ctx, etcd, set)
	if pause > 0 && (result.RequeueAfter == 0 || pause < result.RequeueAfter) {
		result.RequeueAfter = pause
	}
	return result, errors.Join(err, rolling)
}

func suspended(etcd *druidv1alpha1.Etcd) bool {
	_, found := etcd.Annotations[druidv1alpha1.AnnotationSuspend]
	return found
}

// skip leaves everything of a suspended Etcd as it is but the status. An event tells what waits.
func (r *Reconciler) skip(ctx context.Context, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) (reconcile.Result, error) {
	if r.applies(etcd, set) || etcd.Annotations[recoverAnnotation] != "" {
		r.Recorder.Eventf(etcd, nil, corev1.EventTypeWarning, "SpecReconciliationSkipped", "Reconcile",
			"The spec is not reconciled while the Etcd has the annotation %s. Remove it to go on.", druidv1alpha1.AnnotationSuspend)
	}
	return r.saveStatus(ctx, etcd, set, nil)
}

// applyAsRequested applies the spec if requested, saves the status and returns the StatefulSet as it is then.
func (r *Reconciler) applyAsRequested(ctx context.Context, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) (*appsv1.StatefulSet, reconcile.Result, error) {
	if !r.applies(etcd, set) {
		result, err := r.saveStatus(ctx, etcd, set, nil)
		return set, result, err
	}
	log.FromContext(ctx).V(1).Info("Applying etcd")
	applied := etcd.Generation
	set, err := r.apply(ctx, etcd, set)
	var missing *missingSecret
	if err != nil {
		_, saving := r.saveStatus(ctx, etcd, set, &outcome{err: err})
		switch {
		case errors.As(err, &missing):
			return set, reconcile.Result{RequeueAfter: secretRetry}, saving
		case errors.Is(err, place.ErrRefused):
			return set, reconcile.Result{RequeueAfter: refusedRetry}, saving
		}
		return set, reconcile.Result{}, errors.Join(err, saving)
	}
	result, err := r.saveStatus(ctx, etcd, set, &outcome{})
	if err != nil {
		return set, reconcile.Result{}, err
	}
	if etcd.Generation != applied {
		return set, result, nil // the answer has a newer spec, and the annotation may be about that
	}
	return set, result, patch.Metadata(ctx, r.Client, etcd, func() {
		if etcd.Annotations[operationAnnotation] == operationReconcile {
			delete(etcd.Annotations, operationAnnotation)
		}
	})
}

// applies reports whether the spec should be applied now. A change of the spec without the annotation waits for the
// annotation.
func (r *Reconciler) applies(etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) bool {
	status := &etcd.Status
	switch {
	case etcd.Annotations[operationAnnotation] == operationReconcile:
		return true
	case status.ObservedGeneration == nil || set == nil:
		return true
	case status.LastOperation != nil && status.LastOperation.State != druidv1alpha1.LastOperationStateSucceeded:
		return true
	default:
		return r.IgnoreOperationAnnotation && *status.ObservedGeneration != etcd.Generation
	}
}

// apply makes the objects of the etcd match the spec and returns the StatefulSet as stored by the server. If it
// fails, it returns the previous one.
func (r *Reconciler) apply(ctx context.Context, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) (*appsv1.StatefulSet, error) {
	if err := patch.Metadata(ctx, r.Client, etcd, func() { controllerutil.AddFinalizer(etcd, finalizer) }); err != nil {
		return set, err
	}
	if err := r.checkStore(ctx, etcd); err != nil {
		return set, err
	}
	if err := r.checkSecrets(ctx, etcd); err != nil {
		return set, err
	}
	begin, err := bootstrapOf(etcd)
	if err != nil {
		return set, err
	}
	if begin, err = r.keepFormer(ctx, etcd, begin, set); err != nil {
		return set, err
	}
	objects := append(reportObjects(etcd), serviceAccount(etcd), begin.configMap(etcd), clientService(etcd), peerService(etcd), disruptionBudget(etcd))
	applier := patch.Applier{Client: r.Client, Owner: ControllerName, Pods: r.Pods}
	if err := applier.ApplyAll(ctx, objects...); err != nil {
		return set, err
	}
	return r.applySet(ctx, etcd, set)
}

// applySet makes the StatefulSet match the spec, whose store has been checked. If it fails, it returns the previous one.
func (r *Reconciler) applySet(ctx context.Context, etcd *druidv1alpha1.Etcd, set *appsv1.StatefulSet) (*appsv1.StatefulSet, error) {
	begin, err := bootstrapOf(etcd)
	if err != nil {
		return set, err
	}
	applier := patch.Applier{Client: r.Client, Owner: ControllerName, Pods: r.Pods}
	applied, err := applier.Apply(ctx, statefulSet(etcd, r.Image, begin, r.backups(etcd), set))
	if err != nil {
		return set, err
	}
	next := &appsv1.StatefulSet{}
	if err := fromUnstructured(applied, next); err != nil {
		return set, fmt.Errorf("read StatefulSet as applied: %w", err)
	}
	return next, nil
}

// statefulSet returns the StatefulSet of the etcd, nil if there is none.
func (r *Reconciler) statefulSet(ctx context.Context, etcd *druidv1alpha1.Etcd) (*appsv1.StatefulSet, error) {
	set := &appsv1.StatefulSet{}
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(etcd), set)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read StatefulSet of etcd %q: %w", client.ObjectKeyFromObject(etcd), err)
	}
	return set, nil
}
