// Package managedresource applies the objects of ManagedResources to the target cluster and removes objects that they
// no longer describe. Conditions report whether that succeeded and whether the objects are healthy.
//
// It never caches objects of the target cluster. Every pass reads what it needs, unless nothing can have changed since
// the previous pass.
package managedresource

import (
	"context"
	"errors"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/drift"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/verified"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Reconciler handles the ManagedResources of one class. All fields are required unless said otherwise.
type Reconciler struct {
	Name   string        // of the controller, unique in the process
	Source client.Client // reads ManagedResources, may be cached
	Reader client.Reader // reads Secrets of the source cluster, uncached
	Target client.Client // uncached
	Clock  clock.PassiveClock

	Class          string   // class to handle; ManagedResources without a class belong to DefaultClass
	Namespaces     []string // of the source to handle; empty means all
	ClusterID      string   // identity for the origin annotation; may be empty
	ManagedByLabel string   // value of the managed-by label
	SyncPeriod     time.Duration
	AlwaysUpdate   bool // write objects on every pass even if they do not seem to differ
	// GarbageCollected leaves obsolete Secrets and ConfigMaps that have the label of the garbage collector to the
	// collector.
	GarbageCollected bool
	// Drift reports changes of objects in the target. Without it, changes are found at the next sync.
	Drift *drift.Watcher

	verified verified.Records
	writes   writes
}

// Reconcile brings the target in line with one ManagedResource. It is idempotent.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	resource := &resourcesv1alpha1.ManagedResource{}
	if err := r.Source.Get(ctx, request.NamespacedName, resource); err != nil {
		r.verified.Forget(request.NamespacedName)
		r.writes.forget(request.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.responsible(resource) {
		return reconcile.Result{}, nil
	}
	if r.writes.outdated(resource, r.Clock.Since) {
		return reconcile.Result{RequeueAfter: cacheDelay}, nil
	}
	pass := r.pass(resource)
	if pass.verifier.Holds(ctx, resource) {
		return reconcile.Result{RequeueAfter: r.SyncPeriod}, nil
	}
	r.verified.Forget(request.NamespacedName)
	switch {
	case resource.DeletionTimestamp != nil:
		return pass.delete(ctx)
	case manifest.Flag(resource.Annotations, resourcesv1alpha1.Ignore):
		pass.report.Ignored()
		return reconcile.Result{}, pass.saveStatus(ctx)
	}
	if err := pass.addFinalizer(ctx); err != nil {
		return reconcile.Result{}, err
	}
	result, err := pass.apply(ctx)
	return result, errors.Join(err, pass.saveStatus(ctx))
}
