// Package inuse protects objects of the garden from deletion while other objects refer to them. It sets a finalizer,
// and removes it once the object is being deleted and nothing refers to it any more.
//
// One Reconciler handles one kind. kinds.go lists the protected kinds and the kinds that refer to them.
package inuse

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// retry is the interval for checking an object that is still in use when no event reports a change.
const retry = time.Minute

// Reconciler protects the objects of one kind.
type Reconciler struct {
	Kind     Kind
	Client   client.Client
	Recorder events.EventRecorder
}

// Reconcile sets or removes the finalizer of one object.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := r.Kind.New()
	if err := r.Client.Get(ctx, request.NamespacedName, object); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	object = object.DeepCopyObject().(client.Object)
	if object.GetDeletionTimestamp() == nil {
		return reconcile.Result{}, patch.Metadata(ctx, r.Client, object, func() { controllerutil.AddFinalizer(object, r.Kind.Finalizer) })
	}
	if !controllerutil.ContainsFinalizer(object, r.Kind.Finalizer) {
		return reconcile.Result{}, nil
	}
	users, err := r.users(ctx, object)
	if err != nil {
		return reconcile.Result{}, err
	}
	if len(users) > 0 {
		r.Recorder.Eventf(object, nil, corev1.EventTypeNormal, "ResourceReferenced", "Delete", "Cannot be deleted, still in use by: %s", strings.Join(users, ", "))
		return reconcile.Result{RequeueAfter: retry}, nil
	}
	return reconcile.Result{}, client.IgnoreNotFound(patch.Metadata(ctx, r.Client, object, func() {
		controllerutil.RemoveFinalizer(object, r.Kind.Finalizer)
	}))
}

func (r *Reconciler) users(ctx context.Context, object client.Object) ([]string, error) {
	var names []string
	for _, user := range r.Kind.Users {
		list := user.NewList()
		if err := r.Client.List(ctx, list); err != nil {
			return nil, fmt.Errorf("list %T: %w", list, err)
		}
		for _, candidate := range items(list) {
			for _, key := range user.RefersTo(candidate) {
				if key == client.ObjectKeyFromObject(object) {
					names = append(names, client.ObjectKeyFromObject(candidate).String())
				}
			}
		}
	}
	return names, nil
}

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "controllermanager-inuse-" + r.Kind.Name
	b := builder.ControllerManagedBy(mgr).Named(name).WithOptions(options.Controller()).For(r.Kind.New())
	for _, user := range r.Kind.Users {
		b = b.Watches(user.New(), handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []reconcile.Request {
			var requests []reconcile.Request
			for _, key := range user.RefersTo(object) {
				requests = append(requests, reconcile.Request{NamespacedName: key})
			}
			return requests
		}), builder.WithPredicates(referencesChanged(user)))
	}
	if err := b.Complete(r); err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}
