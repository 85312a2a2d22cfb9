// Package reference protects the Secrets and ConfigMaps that Shoots refer to from deletion, by a finalizer. The Shoots
// get the finalizer, too, so that their objects are always released before they are gone.
package reference

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

const finalizer = constants.ReferenceProtectionFinalizerName

// Reconciler handles Shoots. All fields are required.
type Reconciler struct {
	Client client.Client // reads Shoots from a cache
	Reader client.Reader // uncached, for the metadata of Secrets and ConfigMaps
}

// Reconcile protects the objects that one Shoot refers to, and releases those that no Shoot of the namespace refers to
// any more.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := r.Client.Get(ctx, request.NamespacedName, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	references := needs(shoot)
	protected := controllerutil.ContainsFinalizer(shoot, finalizer)
	if len(references) > 0 && !protected && shoot.DeletionTimestamp == nil {
		if err := patch.Metadata(ctx, r.Client, shoot, func() { controllerutil.AddFinalizer(shoot, finalizer) }); err != nil {
			return reconcile.Result{}, err
		}
	}
	if len(references) == 0 && !protected {
		return reconcile.Result{}, nil
	}
	if err := r.balance(ctx, shoot, references); err != nil {
		return reconcile.Result{}, err
	}
	if len(references) > 0 {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{}, client.IgnoreNotFound(patch.Metadata(ctx, r.Client, shoot, func() {
		controllerutil.RemoveFinalizer(shoot, finalizer)
	}))
}

// needs returns what a Shoot refers to. A Shoot needs nothing more once the gardenlet has removed its finalizer.
func needs(shoot *gardencorev1beta1.Shoot) map[Reference]bool {
	if shoot.DeletionTimestamp != nil && !controllerutil.ContainsFinalizer(shoot, constants.GardenerName) {
		return nil
	}
	return References(&shoot.Spec)
}

// balance sets and removes the finalizer on the objects in the namespace of the Shoot. The Shoot is as it was read
// last, which may be newer than in the list of all Shoots.
func (r *Reconciler) balance(ctx context.Context, shoot *gardencorev1beta1.Shoot, references map[Reference]bool) error {
	needed, err := r.othersNeed(ctx, shoot)
	if err != nil {
		return err
	}
	var errs []error
	for _, kind := range []string{kindSecret, kindConfigMap} {
		objects := &metav1.PartialObjectMetadataList{}
		objects.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind + "List"))
		if err := r.Reader.List(ctx, objects, client.InNamespace(shoot.Namespace)); err != nil {
			return fmt.Errorf("list objects of kind %s: %w", kind, err)
		}
		for i := range objects.Items {
			object := &objects.Items[i]
			reference := Reference{kind, object.Name}
			errs = append(errs, r.set(ctx, object, references[reference] || needed[reference]))
		}
	}
	return errors.Join(errs...)
}

func (r *Reconciler) othersNeed(ctx context.Context, shoot *gardencorev1beta1.Shoot) (map[Reference]bool, error) {
	shoots := &gardencorev1beta1.ShootList{}
	if err := r.Client.List(ctx, shoots, client.InNamespace(shoot.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list shoots: %w", err)
	}
	all := map[Reference]bool{}
	for i := range shoots.Items {
		if shoots.Items[i].UID == shoot.UID {
			continue
		}
		for reference := range needs(&shoots.Items[i]) {
			all[reference] = true
		}
	}
	return all, nil
}

// set skips objects that are already being deleted, since a finalizer can no longer be added.
func (r *Reconciler) set(ctx context.Context, object *metav1.PartialObjectMetadata, needed bool) error {
	if needed && object.DeletionTimestamp != nil {
		return nil
	}
	return client.IgnoreNotFound(patch.Metadata(ctx, r.Client, object, func() {
		if needed {
			controllerutil.AddFinalizer(object, finalizer)
		} else {
			controllerutil.RemoveFinalizer(object, finalizer)
		}
	}))
}

// AddToManager adds the controller to the manager of the garden.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-shoot-reference"
	err := builder.ControllerManagedBy(mgr).
		Named(name).
		WithOptions(options.Controller()).
		For(&gardencorev1beta1.Shoot{}, builder.WithPredicates(predicate.Funcs{UpdateFunc: relevant})).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func relevant(e event.UpdateEvent) bool {
	before, after := e.ObjectOld.(*gardencorev1beta1.Shoot), e.ObjectNew.(*gardencorev1beta1.Shoot)
	return !equality.Semantic.DeepEqual(References(&before.Spec), References(&after.Spec)) ||
		!equality.Semantic.DeepEqual(before.Finalizers, after.Finalizers) ||
		(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
}
