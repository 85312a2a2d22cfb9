package garden

import (
	"context"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/internal/owncache"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// watched are the kinds of what a host deploys that nobody deletes in a reconciliation.
var watched = []schema.GroupVersionKind{
	appsv1.SchemeGroupVersion.WithKind("Deployment"), appsv1.SchemeGroupVersion.WithKind("StatefulSet"), corev1.SchemeGroupVersion.WithKind("Service"), corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
	rbacv1.SchemeGroupVersion.WithKind("Role"), rbacv1.SchemeGroupVersion.WithKind("RoleBinding"),
	rbacv1.SchemeGroupVersion.WithKind(clusterRole), rbacv1.SchemeGroupVersion.WithKind(clusterRole + "Binding"),
}

// clusterRole begins the names of the watched kinds that are not in namespaces.
const clusterRole = "ClusterRole"

// deployed are the sources that wake the controller when somebody deletes what the host has deployed, or changes the resource manager of the runtime
// cluster: without it, the API server refuses all new pods. Other changes wait for the next reconciliation: who scales a component down for repairs needs
// the time. Only metadata are watched, by a cache of its own.
func deployed(mgr manager.Manager, gardens func(context.Context) []reconcile.Request) (sources []source.Source, err error) {
	has, err := labels.NewRequirement(host.Label, selection.Exists, nil)
	if err != nil {
		return nil, err
	}
	objects, options := []*metav1.PartialObjectMetadata{}, cache.Options{DefaultTransform: cache.TransformStripManagedFields(), ByObject: map[client.Object]cache.ByObject{}}
	for _, kind := range watched {
		object := &metav1.PartialObjectMetadata{}
		object.SetGroupVersionKind(kind)
		objects = append(objects, object)
		selected := cache.ByObject{Label: labels.NewSelector().Add(*has)}
		if !strings.HasPrefix(kind.Kind, clusterRole) {
			selected.Namespaces = map[string]cache.Config{constants.GardenNamespace: {}, constants.VirtualGardenSNIIngressNamespace: {}}
		}
		options.ByObject[object] = selected
	}
	own, err := owncache.New(mgr, mgr, options)
	if err != nil {
		return nil, err
	}
	wake := handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, _ *metav1.PartialObjectMetadata) []reconcile.Request { return gardens(ctx) })
	for _, object := range objects {
		sources = append(sources, source.Kind(own, object, wake, losses))
	}
	return sources, nil
}

// losses passes deletions, and changes of the resource manager. Objects without a generation have no status.
var losses = predicate.TypedFuncs[*metav1.PartialObjectMetadata]{
	CreateFunc: func(event.TypedCreateEvent[*metav1.PartialObjectMetadata]) bool { return false },
	UpdateFunc: func(e event.TypedUpdateEvent[*metav1.PartialObjectMetadata]) bool {
		changed := e.ObjectOld.Generation != e.ObjectNew.Generation || e.ObjectNew.Generation == 0 && e.ObjectOld.ResourceVersion != e.ObjectNew.ResourceVersion
		return e.ObjectNew.Name == resourcemanager.Name && changed
	},
	GenericFunc: func(event.TypedGenericEvent[*metav1.PartialObjectMetadata]) bool { return false },
}
