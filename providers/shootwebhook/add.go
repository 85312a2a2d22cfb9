package shootwebhook

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

const defaultWorkers = 5

// Add keeps the webhooks in the extension's shoots, with the manager of the seed. The process needs these verbs:
//
//	get, list, watch                                 for the kind T and Clusters, and for the Secret Certificates
//	list                                             for ControlPlanes
//	get, list, watch, create, update, patch, delete  for ManagedResources; the name is ResourceName
//	get, create, update, delete                      for Secrets in namespaces of shoots; the name is "managedresource-" and ResourceName
//
// Creation cannot be restricted to a name.
func Add[T reconcile.Object[E], E any](mgr manager.Manager, options Options[T]) error {
	if err := options.check(); err != nil {
		return err
	}
	direct, err := client.New(mgr.GetConfig(), client.Options{HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return fmt.Errorf("make client for shoot webhooks of %s: %w", options.Provider, err)
	}
	r := &Reconciler[T, E]{Client: mgr.GetClient(), Direct: direct, Options: options}
	return r.AddToManager(mgr, workers.Insistent(defaultWorkers))
}

// AddToManager adds the controller to the manager of the seed, with a cache of its own: one Secret, the ManagedResources of one name, and metadata of
// Clusters.
func (r *Reconciler[T, E]) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := r.Options.Provider + "-shoot-webhooks"
	own, err := cache.New(mgr.GetConfig(), r.cached(mgr))
	if err != nil {
		return fmt.Errorf("make cache of controller %s: %w", name, err)
	}
	if err := mgr.Add(own); err != nil {
		return fmt.Errorf("add cache of controller %s: %w", name, err)
	}
	cluster := &metav1.PartialObjectMetadata{}
	cluster.SetGroupVersionKind(extensionsv1alpha1.SchemeGroupVersion.WithKind("Cluster"))
	err = builder.ControllerManagedBy(mgr).Named(name).
		Watches(T(new(E)), handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []ctrlreconcile.Request {
			return r.requests(object.GetNamespace())
		}), builder.WithPredicates(predicate.NewPredicateFuncs(r.responsible))).
		// also for a shoot whose object went while this process was down
		WatchesRawSource(source.Kind(own, &resourcesv1alpha1.ManagedResource{}, handler.TypedEnqueueRequestsFromMapFunc(
			func(_ context.Context, object *resourcesv1alpha1.ManagedResource) []ctrlreconcile.Request {
				return r.requests(object.Namespace)
			}))).
		// the deletion of a shoot need not touch its objects yet
		WatchesRawSource(source.Kind(own, cluster, handler.TypedEnqueueRequestsFromMapFunc(
			func(ctx context.Context, object *metav1.PartialObjectMetadata) []ctrlreconcile.Request {
				return r.all(ctx, client.InNamespace(object.Name))
			}))).
		WatchesRawSource(source.Kind(own, &corev1.Secret{}, handler.TypedEnqueueRequestsFromMapFunc(
			func(ctx context.Context, _ *corev1.Secret) []ctrlreconcile.Request { return r.all(ctx) }))).
		WithOptions(options.Controller()).Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %s: %w", name, err)
	}
	return nil
}

func (r *Reconciler[T, E]) cached(mgr manager.Manager) cache.Options {
	certificates := r.Options.Certificates()
	named := func(name string) fields.Selector { return fields.OneTermEqualSelector("metadata.name", name) }
	return cache.Options{
		HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(), DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Secret{}:                     {Field: named(certificates.Name), Namespaces: map[string]cache.Config{certificates.Namespace: {}}},
			&resourcesv1alpha1.ManagedResource{}: {Field: named(r.Options.ResourceName())},
		},
	}
}

func (r *Reconciler[T, E]) responsible(object client.Object) bool {
	extension, ok := object.(extensionsv1alpha1.Object)
	return ok && reconcile.Responsible(extension, r.Options.Types, r.Options.Classes)
}

func (r *Reconciler[T, E]) requests(namespace string) []ctrlreconcile.Request {
	return []ctrlreconcile.Request{{NamespacedName: client.ObjectKey{Namespace: namespace, Name: r.Options.ResourceName()}}}
}

// all are the requests for all shoots of the extension, or for those of some namespaces.
func (r *Reconciler[T, E]) all(ctx context.Context, of ...client.ListOption) []ctrlreconcile.Request {
	objects, err := r.objects(ctx, of...)
	if err != nil {
		return nil // the cache has ended
	}
	var namespaces []string
	for _, object := range objects {
		namespaces = append(namespaces, object.GetNamespace())
	}
	slices.Sort(namespaces)
	var out []ctrlreconcile.Request
	for _, namespace := range slices.Compact(namespaces) {
		out = append(out, r.requests(namespace)...)
	}
	return out
}
