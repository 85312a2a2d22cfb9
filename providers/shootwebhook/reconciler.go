package shootwebhook

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/managed"
	"github.com/gardener-up/gardener-up/providers/reconcile"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

const defaultWorkers = 5

// Options say which shoots have the webhooks: those with an object of the kind T for which the extension is responsible.
type Options[T extensionsv1alpha1.Object] struct {
	Webhooks
	// Types and Classes are those of reconcile.Options.
	Types   []string
	Classes []extensionsv1alpha1.ExtensionClass
}

// Add keeps the webhooks in the extension's shoots, with the manager of the seed.
func Add[T reconcile.Object[E], E any](mgr manager.Manager, options Options[T]) error {
	if err := options.check(); err != nil {
		return err
	}
	r := &Reconciler[T, E]{Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Options: options}
	return r.AddToManager(mgr, workers.Insistent(defaultWorkers))
}

// Reconciler keeps the ManagedResource of one shoot. Its requests name this ManagedResource.
type Reconciler[T reconcile.Object[E], E any] struct {
	// Client of the seed.
	Client client.Client
	// Reader reads Clusters and the certificates without a cache.
	Reader client.Reader
	// Options say which webhooks, and which shoots have them.
	Options Options[T]
}

// AddToManager adds the controller to the manager of the seed.
func (r *Reconciler[T, E]) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := r.Options.Provider + "-shoot-webhooks"
	resource := func(_ context.Context, object client.Object) []ctrlreconcile.Request {
		return r.requests(object.GetNamespace())
	}
	is := func(this func(client.Object) bool) builder.Predicates {
		return builder.WithPredicates(predicate.NewPredicateFuncs(this))
	}
	err := builder.ControllerManagedBy(mgr).Named(name).
		Watches(T(new(E)), handler.EnqueueRequestsFromMapFunc(resource), is(r.responsible)).
		// also for a shoot whose object went while this process was down
		Watches(&resourcesv1alpha1.ManagedResource{}, handler.EnqueueRequestsFromMapFunc(resource), is(func(object client.Object) bool {
			return object.GetName() == r.Options.ResourceName()
		})).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.all), is(func(object client.Object) bool {
			return client.ObjectKeyFromObject(object) == r.Options.Certificates()
		})).
		WithOptions(options.Controller()).Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %s: %w", name, err)
	}
	return nil
}

func (r *Reconciler[T, E]) responsible(object client.Object) bool {
	extension, ok := object.(extensionsv1alpha1.Object)
	return ok && reconcile.Responsible(extension, r.Options.Types, r.Options.Classes)
}

func (r *Reconciler[T, E]) requests(namespace string) []ctrlreconcile.Request {
	return []ctrlreconcile.Request{{NamespacedName: client.ObjectKey{Namespace: namespace, Name: r.Options.ResourceName()}}}
}

// all are the requests for all shoots of the extension.
func (r *Reconciler[T, E]) all(ctx context.Context, _ client.Object) []ctrlreconcile.Request {
	objects, err := r.objects(ctx)
	if err != nil {
		return nil // the cache has ended
	}
	var out []ctrlreconcile.Request
	for _, object := range objects {
		out = append(out, r.requests(object.GetNamespace())...)
	}
	return out
}

// Reconcile writes the ManagedResource of a shoot, or deletes it.
func (r *Reconciler[T, E]) Reconcile(ctx context.Context, request ctrlreconcile.Request) (ctrlreconcile.Result, error) {
	objects, err := r.objects(ctx, client.InNamespace(request.Namespace))
	if err != nil {
		return ctrlreconcile.Result{}, err
	}
	cluster, err := contract.GetCluster(ctx, r.Reader, request.Namespace)
	if err != nil {
		return ctrlreconcile.Result{}, err
	}
	resource := managed.Resource{Client: r.Client, Namespace: request.Namespace, Name: request.Name}
	err = r.act(ctx, next(objects, cluster), resource)
	if waiting, is := errors.AsType[contract.Waiting](err); is {
		return ctrlreconcile.Result{RequeueAfter: waiting.After()}, nil
	}
	return ctrlreconcile.Result{}, err
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
	if err := r.Reader.Get(ctx, r.Options.Certificates(), certificates); err != nil {
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
