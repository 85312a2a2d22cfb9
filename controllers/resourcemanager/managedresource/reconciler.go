// Package managedresource applies the objects of ManagedResources to the target cluster and removes objects that they
// no longer describe. Conditions report whether that succeeded and whether the objects are healthy.
//
// It never caches objects of the target cluster. Every pass reads what it needs, unless nothing can have changed since
// the previous pass.
package managedresource

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/drift"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/origin"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/secrets"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource/status"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Intervals between passes while objects are still changing. Objects usually settle within seconds; after patience,
// they are checked less often.
const (
	soon     = time.Second
	later    = 10 * time.Second
	patience = 3 * time.Minute
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

	verified sync.Map // verification by types.NamespacedName
	written  sync.Map // write by types.NamespacedName
}

// Reconcile brings the target in line with one ManagedResource. It is idempotent.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	resource := &resourcesv1alpha1.ManagedResource{}
	if err := r.Source.Get(ctx, request.NamespacedName, resource); err != nil {
		r.verified.Delete(request.NamespacedName)
		r.written.Delete(request.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.responsible(resource) {
		return reconcile.Result{}, nil
	}
	if r.outdated(resource) {
		return reconcile.Result{RequeueAfter: cacheDelay}, nil
	}
	current := resource.DeepCopy()
	pass := &pass{
		Reconciler: r, resource: current, saved: resource,
		report: status.Report{Resource: current, Clock: r.Clock},
		keeper: secrets.Keeper{Source: r.Source, Reader: r.Reader, Finalizer: Finalizer(r.Class), Responsible: r.responsible},
		owner:  origin.Owner{Target: r.Target, Origin: manifest.Origin(r.ClusterID, resource.Namespace, resource.Name)},
	}
	if pass.stillVerified(ctx) {
		return reconcile.Result{RequeueAfter: r.SyncPeriod}, nil
	}
	r.verified.Delete(request.NamespacedName)
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

// pass is one run over one ManagedResource. It collects the new status in resource.
type pass struct {
	*Reconciler
	keeper   secrets.Keeper
	resource *resourcesv1alpha1.ManagedResource
	saved    *resourcesv1alpha1.ManagedResource // as the source cluster has it
	owner    origin.Owner
	report   status.Report
	tracked  map[string]bool // identities of the objects that the status listed at the beginning
	gaps     uint64          // count of gaps of Drift at the beginning
}

func (p *pass) addFinalizer(ctx context.Context) error {
	err := patch.Metadata(ctx, p.Source, p.resource, func() { controllerutil.AddFinalizer(p.resource, Finalizer(p.Class)) })
	p.saved = p.resource.DeepCopy()
	return err
}

func (p *pass) removeFinalizer(ctx context.Context) error {
	return client.IgnoreNotFound(patch.Metadata(ctx, p.Source, p.resource, func() {
		controllerutil.RemoveFinalizer(p.resource, Finalizer(p.Class))
	}))
}

func (p *pass) saveStatus(ctx context.Context) error {
	err := patch.Status(ctx, p.Source, p.resource, p.saved)
	p.saved = p.resource.DeepCopy()
	p.noteWritten(p.resource)
	return err
}
