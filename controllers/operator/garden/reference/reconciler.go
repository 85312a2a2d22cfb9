// Package reference protects the Secrets and ConfigMaps that a Garden refers to from deletion, by a finalizer. The Garden gets
// the finalizer, too, so that its objects are always released before it is gone.
package reference

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

const finalizer = constants.ReferenceProtectionFinalizerName

// Reconciler handles Gardens. All fields are required.
type Reconciler struct {
	Client client.Client // of the runtime cluster; reads Gardens from a cache
	Reader client.Reader // uncached, for Gardens and for the metadata of Secrets and ConfigMaps
}

// Reconcile protects the objects that one Garden refers to, and releases those that no Garden refers to any more. An object
// that does not exist is no error: it is protected once it is made.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	garden := &operatorv1alpha1.Garden{}
	if err := r.Client.Get(ctx, request.NamespacedName, garden); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	references := needs(garden)
	protected := controllerutil.ContainsFinalizer(garden, finalizer)
	if len(references) == 0 && !protected {
		return reconcile.Result{}, nil
	}
	if len(references) > 0 && !protected {
		if err := patch.Metadata(ctx, r.Client, garden, func() { controllerutil.AddFinalizer(garden, finalizer) }); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
	}
	if err := r.balance(ctx, garden, references); err != nil {
		return reconcile.Result{}, err
	}
	if len(references) > 0 {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{}, client.IgnoreNotFound(patch.Metadata(ctx, r.Client, garden, func() {
		controllerutil.RemoveFinalizer(garden, finalizer)
	}))
}

// needs returns what a Garden refers to. A Garden in deletion needs nothing.
func needs(garden *operatorv1alpha1.Garden) map[Reference]bool {
	if garden.DeletionTimestamp != nil {
		return nil
	}
	return References(&garden.Spec)
}

// balance sets and removes the finalizer on the objects in the namespace garden.
func (r *Reconciler) balance(ctx context.Context, garden *operatorv1alpha1.Garden, references map[Reference]bool) error {
	needed, err := r.othersNeed(ctx, garden)
	if err != nil {
		return err
	}
	var errs []error
	for _, kind := range []string{kindSecret, kindConfigMap} {
		objects := &metav1.PartialObjectMetadataList{}
		objects.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind + "List"))
		if err := r.Reader.List(ctx, objects, client.InNamespace(constants.GardenNamespace)); err != nil {
			return fmt.Errorf("list objects of kind %s in namespace %q: %w", kind, constants.GardenNamespace, err)
		}
		for i := range objects.Items {
			object := &objects.Items[i]
			object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
			reference := Reference{kind, object.Name}
			errs = append(errs, r.set(ctx, object, references[reference] || needed[reference]))
		}
	}
	return errors.Join(errs...)
}

// othersNeed returns what all other Gardens refer to. It reads without a cache: a Garden that the cache does not have yet would
// lose its protection.
func (r *Reconciler) othersNeed(ctx context.Context, garden *operatorv1alpha1.Garden) (map[Reference]bool, error) {
	gardens := &operatorv1alpha1.GardenList{}
	if err := r.Reader.List(ctx, gardens); err != nil {
		return nil, fmt.Errorf("list Gardens: %w", err)
	}
	all := map[Reference]bool{}
	for i := range gardens.Items {
		if gardens.Items[i].UID == garden.UID {
			continue
		}
		for reference := range needs(&gardens.Items[i]) {
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
