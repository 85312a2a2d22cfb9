package networkpolicy

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/controllers/internal/owncache"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// apiServerService is the Service of the API server of the cluster, in namespace default.
const apiServerService = "kubernetes"

// AddToManager adds the controller to the manager of the seed; changes in the garden wake it, too. It reads through the
// caches of both, and the addresses of the seed's API server through a small one of its own.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-networkpolicy"
	own, err := owncache.New(mgr, mgr, cache.Options{DefaultTransform: cache.TransformStripManagedFields(), ByObject: r.owned()})
	if err != nil {
		return fmt.Errorf("make cache of %q: %w", name, err)
	}
	r.own = own
	build := builder.ControllerManagedBy(mgr).Named(name).
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(mgr.GetCache(), namespaceMetadata(), &handler.TypedEnqueueRequestForObject[*metav1.PartialObjectMetadata]{}, labelsChanged)).
		WatchesRawSource(source.Kind(mgr.GetCache(), &networkingv1.NetworkPolicy{}, handler.TypedEnqueueRequestsFromMapFunc(namespaceOf))).
		WatchesRawSource(source.Kind(own, &discoveryv1.EndpointSlice{}, handler.TypedEnqueueRequestsFromMapFunc(
			func(ctx context.Context, _ *discoveryv1.EndpointSlice) []reconcile.Request {
				return r.everyNamespace(ctx)
			}))).
		WatchesRawSource(source.Kind(r.GardenCache, &gardencorev1beta1.Seed{}, handler.TypedEnqueueRequestsFromMapFunc(
			func(ctx context.Context, _ *gardencorev1beta1.Seed) []reconcile.Request { return r.everyNamespace(ctx) }), r.seedChanged())).
		WatchesRawSource(source.Kind(r.GardenCache, &gardencorev1beta1.Shoot{}, handler.TypedEnqueueRequestsFromMapFunc(namespaceOfShoot), shootChanged))
	if r.GardenService.Name != "" {
		build = build.WatchesRawSource(source.Kind(own, &corev1.Service{}, handler.TypedEnqueueRequestsFromMapFunc(
			func(ctx context.Context, _ *corev1.Service) []reconcile.Request { return r.everyNamespace(ctx) })))
	}
	if err := build.Complete(r); err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// owned are the objects in the controller's own cache.
func (r *Reconciler) owned() map[client.Object]cache.ByObject {
	objects := map[client.Object]cache.ByObject{&discoveryv1.EndpointSlice{}: {
		Namespaces: map[string]cache.Config{metav1.NamespaceDefault: {}},
		Label:      labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: apiServerService}),
	}}
	if r.GardenService.Name != "" {
		objects[&corev1.Service{}] = cache.ByObject{
			Namespaces: map[string]cache.Config{r.GardenService.Namespace: {}},
			Field:      fields.OneTermEqualSelector(metav1.ObjectNameField, r.GardenService.Name),
		}
	}
	return objects
}

// labelsChanged passes only changes of labels, since no other field of a namespace matters.
var labelsChanged = predicate.TypedFuncs[*metav1.PartialObjectMetadata]{
	UpdateFunc: func(e event.TypedUpdateEvent[*metav1.PartialObjectMetadata]) bool {
		return !equality.Semantic.DeepEqual(e.ObjectOld.Labels, e.ObjectNew.Labels)
	},
	DeleteFunc: func(event.TypedDeleteEvent[*metav1.PartialObjectMetadata]) bool { return false },
}

func (r *Reconciler) seedChanged() predicate.TypedPredicate[*gardencorev1beta1.Seed] {
	return predicate.TypedFuncs[*gardencorev1beta1.Seed]{
		CreateFunc: func(e event.TypedCreateEvent[*gardencorev1beta1.Seed]) bool { return e.Object.Name == r.SeedName },
		UpdateFunc: func(e event.TypedUpdateEvent[*gardencorev1beta1.Seed]) bool {
			return e.ObjectNew.Name == r.SeedName && !equality.Semantic.DeepEqual(e.ObjectOld.Spec.Networks, e.ObjectNew.Spec.Networks)
		},
		DeleteFunc: func(e event.TypedDeleteEvent[*gardencorev1beta1.Seed]) bool { return e.Object.Name == r.SeedName },
	}
}

var shootChanged = predicate.TypedFuncs[*gardencorev1beta1.Shoot]{
	UpdateFunc: func(e event.TypedUpdateEvent[*gardencorev1beta1.Shoot]) bool {
		return e.ObjectOld.Status.TechnicalID != e.ObjectNew.Status.TechnicalID || !slices.Equal(shootRanges(e.ObjectOld), shootRanges(e.ObjectNew))
	},
	DeleteFunc: func(event.TypedDeleteEvent[*gardencorev1beta1.Shoot]) bool { return false },
}

func namespaceOf(_ context.Context, policy *networkingv1.NetworkPolicy) []reconcile.Request {
	if policy.Labels[labelManagedBy] != managedBy {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: policy.Namespace}}}
}

func namespaceOfShoot(_ context.Context, shoot *gardencorev1beta1.Shoot) []reconcile.Request {
	if shoot.Status.TechnicalID == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: shoot.Status.TechnicalID}}}
}

func (r *Reconciler) everyNamespace(ctx context.Context) []reconcile.Request {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	if err := r.SeedReader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil // the cache ends; its successor reports all objects again
	}
	var requests []reconcile.Request
	for i := range list.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKey{Name: list.Items[i].Name}})
	}
	return requests
}

func namespaceMetadata() *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return object
}
