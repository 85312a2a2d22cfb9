package shootwebhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/managed"
	"github.com/gardener-up/gardener-up/providers/reconcile"
)

// Options say which shoots have the webhooks: those with an object of the kind T for which the extension is responsible.
type Options[T extensionsv1alpha1.Object] struct {
	Webhooks
	// Types and Classes are those of reconcile.Options.
	Types   []string
	Classes []extensionsv1alpha1.ExtensionClass
	// Ownership says whether the seed may act for a shoot; nil if it always may. See package ownership.
	Ownership reconcile.Ownership
}

// Reconciler keeps the ManagedResource of one shoot. Its requests name this ManagedResource.
type Reconciler[T reconcile.Object[E], E any] struct {
	// Client of the seed. Only objects of the kind T are read from its cache.
	Client client.Client
	// Direct has no cache. So nothing keeps the Secrets of the seed, and a change of the Cluster is known at once.
	Direct client.Client
	// Options say which webhooks, and which shoots have them.
	Options Options[T]
}

const (
	// holdRetry is how soon a shoot without objects is looked at again that may not be changed.
	holdRetry = time.Minute
	// endRetry is how soon a shoot that ends is looked at again, until its control plane goes.
	endRetry = 10 * time.Second
)

// Reconcile writes the ManagedResource of a shoot, or deletes it.
func (r *Reconciler[T, E]) Reconcile(ctx context.Context, request ctrlreconcile.Request) (ctrlreconcile.Result, error) {
	objects, err := r.objects(ctx, client.InNamespace(request.Namespace))
	if err != nil {
		return ctrlreconcile.Result{}, err
	}
	cluster, err := contract.GetCluster(ctx, r.Direct, request.Namespace)
	if err != nil {
		return ctrlreconcile.Result{}, err
	}
	do, again := next(objects, cluster), time.Duration(0)
	if do == apply && cluster != nil && cluster.Shoot != nil && cluster.Shoot.DeletionTimestamp != nil {
		ends, err := r.controlPlaneEnds(ctx, request.Namespace)
		if err != nil {
			return ctrlreconcile.Result{}, err
		}
		if again = endRetry; ends {
			do = remove
		}
	}
	if do != leave && do != force {
		if reason := cluster.OnHold(); reason != "" {
			log.FromContext(ctx).V(1).Info("Leaving webhooks of shoot alone", "reason", reason)
			return ctrlreconcile.Result{RequeueAfter: holdRetry}, nil
		}
		if r.Options.Ownership != nil && cluster != nil && cluster.Shoot != nil && cluster.Seed != nil {
			guarded, stop, err := r.Options.Ownership.Guard(ctx, cluster)
			if err != nil {
				log.FromContext(ctx).Info("Leaving webhooks of shoot alone", "reason", err.Error())
				return ctrlreconcile.Result{Requeue: true}, nil // soon, as a new record is published in a moment
			}
			defer stop()
			ctx = guarded
		}
	}
	err = r.act(ctx, do, managed.Resource{Client: r.Direct, Namespace: request.Namespace, Name: request.Name})
	if waiting, is := errors.AsType[contract.Waiting](err); is {
		return ctrlreconcile.Result{RequeueAfter: waiting.After()}, nil
	}
	return ctrlreconcile.Result{RequeueAfter: again}, err
}

// controlPlaneEnds reports whether the control plane of a shoot that is being deleted goes, or is gone. Afterwards the gardenlet waits until there are no
// ManagedResources before it stops the API server. Extensions may be there for longer.
func (r *Reconciler[T, E]) controlPlaneEnds(ctx context.Context, namespace string) (bool, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(extensionsv1alpha1.SchemeGroupVersion.WithKind(extensionsv1alpha1.ControlPlaneResource + "List"))
	if err := r.Direct.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return false, fmt.Errorf("list control planes: %w", err)
	}
	return !slices.ContainsFunc(list.Items, func(object metav1.PartialObjectMetadata) bool { return object.DeletionTimestamp == nil }), nil
}

func (r *Reconciler[T, E]) act(ctx context.Context, do action, resource managed.Resource) error {
	switch do {
	case apply:
		return r.apply(ctx, resource)
	case leave:
		return resource.Migrate(ctx)
	case force:
		return resource.ForceDelete(ctx)
	}
	return resource.Delete(ctx)
}

// apply waits for the certificates without an error: their Secret is watched.
func (r *Reconciler[T, E]) apply(ctx context.Context, resource managed.Resource) error {
	certificates := &corev1.Secret{}
	if err := r.Direct.Get(ctx, r.Options.Certificates(), certificates); err != nil {
		return client.IgnoreNotFound(err)
	}
	bundle := webhook.Bundle(certificates.Data)
	if len(bundle) == 0 {
		return nil
	}
	documents, err := r.Options.documents(bundle)
	if err != nil {
		return err
	}
	return resource.Apply(ctx, documents)
}

// objects are those that the extension is responsible for.
func (r *Reconciler[T, E]) objects(ctx context.Context, options ...client.ListOption) ([]extensionsv1alpha1.Object, error) {
	gvk, err := apiutil.GVKForObject(T(new(E)), r.Client.Scheme())
	if err != nil {
		return nil, fmt.Errorf("find kind of %T: %w", T(new(E)), err)
	}
	gvk.Kind += "List"
	list, err := r.Client.Scheme().New(gvk)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", gvk.Kind, err)
	}
	if err := r.Client.List(ctx, list.(client.ObjectList), options...); err != nil {
		return nil, fmt.Errorf("list %s: %w", strings.TrimSuffix(gvk.Kind, "List"), err)
	}
	var out []extensionsv1alpha1.Object
	err = meta.EachListItem(list, func(item runtime.Object) error {
		if object, ok := item.(extensionsv1alpha1.Object); ok && r.responsible(object) {
			out = append(out, object)
		}
		return nil
	})
	return out, err
}

// action is what is done with a ManagedResource.
type action string

const (
	apply  action = "apply"  // the shoot has the webhooks
	leave  action = "leave"  // the shoot moves to another seed, whose extension takes the webhooks over
	remove action = "remove" // from the shoot
	force  action = "force"  // remove, without waiting for the shoot
)

// next decides by the extension's objects in the namespace of a shoot. The Cluster tells first that the shoot leaves: the gardenlet removes
// ManagedResources before it asks for the migration of objects.
func next(objects []extensionsv1alpha1.Object, cluster *contract.Cluster) action {
	if cluster.Leaves() {
		return leave
	}
	do := remove
	if cluster != nil && cluster.Shoot != nil && helper.DeletionIsForced(cluster.Shoot) {
		do = force
	}
	for _, object := range objects {
		last := object.GetExtensionStatus().GetLastOperation()
		switch {
		case object.GetAnnotations()[constants.GardenerOperation] == "migrate",
			last != nil && last.Type == gardencorev1beta1.LastOperationTypeMigrate && object.GetAnnotations()[constants.GardenerOperation] != "restore":
			return leave
		case object.GetDeletionTimestamp() == nil:
			do = apply
		case do == remove && helper.ConfirmsForcedDeletion(object.GetAnnotations()):
			do = force
		}
	}
	return do
}
