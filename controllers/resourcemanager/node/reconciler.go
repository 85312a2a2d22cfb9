// Package node makes new nodes of the target available for workload once their critical components run. It removes the
// taint node.gardener.cloud/critical-components-not-ready, and never adds it.
package node

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Reconciler handles the nodes of the target.
type Reconciler struct {
	Name    string        // of the controller, unique in the process
	Target  client.Client // uncached
	Cache   cache.Cache   // of the target
	Backoff time.Duration // interval between two checks of a node that is not ready yet
}

// AddToManager adds the controller. It watches metadata of nodes, and acts only on new ones and, after a start, on those
// that exist.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	node := &metav1.PartialObjectMetadata{}
	node.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Node"))
	created := predicate.TypedFuncs[*metav1.PartialObjectMetadata]{
		UpdateFunc: func(event.TypedUpdateEvent[*metav1.PartialObjectMetadata]) bool { return false },
		DeleteFunc: func(event.TypedDeleteEvent[*metav1.PartialObjectMetadata]) bool { return false },
	}
	err := builder.ControllerManagedBy(mgr).Named(r.Name).
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(r.Cache, node, &handler.TypedEnqueueRequestForObject[*metav1.PartialObjectMetadata]{}, created)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", r.Name, err)
	}
	return nil
}

// Reconcile removes the taint of one node, or returns when to check it again.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	node := &corev1.Node{}
	if err := r.Target.Get(ctx, request.NamespacedName, node); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if node.DeletionTimestamp != nil || !slices.ContainsFunc(node.Spec.Taints, ours) {
		return reconcile.Result{}, nil
	}
	missing, err := r.missing(ctx, node)
	if err != nil {
		return reconcile.Result{}, err
	}
	if missing != "" {
		log.FromContext(ctx).V(1).Info("Node is not ready for workload", "missing", missing)
		return reconcile.Result{RequeueAfter: r.Backoff}, nil
	}
	before := node.DeepCopy()
	node.Spec.Taints = slices.DeleteFunc(slices.Clone(node.Spec.Taints), ours)
	if err := r.Target.Patch(ctx, node, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return reconcile.Result{}, fmt.Errorf("remove taint: %w", err)
	}
	log.FromContext(ctx).Info("Node takes workload now")
	return reconcile.Result{}, nil
}

// missing describes what the node still lacks; it is empty if nothing is missing.
func (r *Reconciler) missing(ctx context.Context, node *corev1.Node) (string, error) {
	critical := client.MatchingLabels{constants.LabelNodeCriticalComponent: "true"}
	sets := &appsv1.DaemonSetList{}
	if err := r.Target.List(ctx, sets, critical); err != nil {
		return "", fmt.Errorf("list daemon sets: %w", err)
	}
	pods := &corev1.PodList{}
	if err := r.Target.List(ctx, pods, critical, client.MatchingFields{"spec.nodeName": node.Name}); err != nil {
		return "", fmt.Errorf("list pods of the node: %w", err)
	}
	if missing := Missing(node, sets.Items, pods.Items); missing != "" {
		return missing, nil
	}
	wanted := WantedDrivers(pods.Items)
	if len(wanted) == 0 {
		return "", nil
	}
	drivers := &storagev1.CSINode{}
	if err := r.Target.Get(ctx, client.ObjectKeyFromObject(node), drivers); client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read drivers of the node: %w", err)
	}
	return MissingDriver(wanted, drivers), nil
}

func ours(taint corev1.Taint) bool { return taint.Key == constants.TaintNodeCriticalComponentsNotReady }
