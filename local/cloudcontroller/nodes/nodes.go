// Package nodes removes Node objects of a shoot whose machine is gone. The machine controller removes the node of each Machine that it
// deletes. It does not know nodes whose Machine was removed in another way, for instance by removing its finalizer.
package nodes

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/local/cloudcontroller/feed"
	"github.com/gardener-up/gardener-up/local/machine/name"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

const (
	// most is how many nodes are looked at, at most.
	most = 1000
	// mostAgain is how many nodes that are not ready are looked at again and again. The others are looked at with each list.
	mostAgain = 100
	// period is the interval for looking at a node that is not ready.
	period = 10 * time.Second
)

// Reconciler removes nodes.
type Reconciler struct {
	// Shoot is a client of the shoot, without a cache.
	Shoot client.WithWatch
	// Seed reads the seed without a cache, in the namespace of the control plane only. Its scheme knows the groups core, machine and extensions.
	Seed client.Reader
	// Namespace of the control plane.
	Namespace string

	nodes *feed.Feed
}

// AddToManager adds the controller to a manager.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	r.nodes = &feed.Feed{Client: r.Shoot, List: &corev1.NodeList{}, Most: most, Offer: feed.If(func(object client.Object) bool {
		node, ok := object.(*corev1.Node)
		return ok && r.machineOf(node) != ""
	})}
	err := builder.ControllerManagedBy(mgr).Named("provider-local-nodes").WithOptions(options.Controller()).WatchesRawSource(r.nodes).
		Complete(r.bounded())
	if err != nil {
		return fmt.Errorf("add controller for nodes: %w", err)
	}
	return nil
}

// bounded looks again at few nodes only.
func (r *Reconciler) bounded() reconcile.Reconciler { return &feed.Retries{Of: r, Most: mostAgain} }

// Ready is an error until the nodes have been read.
func (r *Reconciler) Ready(request *http.Request) error { return r.nodes.Ready(request) }

// Reconcile removes a node if its machine is gone.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	node := &corev1.Node{}
	if err := r.Shoot.Get(ctx, req.NamespacedName, node); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	machine := r.machineOf(node)
	if machine == "" {
		return reconcile.Result{}, nil
	}
	gone, err := r.gone(ctx, machine)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !gone {
		return reconcile.Result{RequeueAfter: period}, nil
	}
	log.FromContext(ctx).Info("Removing node without a machine", "node", node.Name, "machine", machine)
	if err := r.Shoot.Delete(ctx, node, client.Preconditions{UID: &node.UID}); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("delete node %s: %w", node.Name, err)
	}
	return reconcile.Result{}, nil
}

// machineOf is the name of the machine of a node that is not ready; empty for other nodes, and those without a machine of this shoot. It is a name
// that a Machine may have, whatever a user wrote.
func (r *Reconciler) machineOf(node *corev1.Node) string {
	namespace, machine, ok := name.OfProviderID(node.Spec.ProviderID)
	if !ok || namespace != r.Namespace || node.DeletionTimestamp != nil {
		return ""
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
			return ""
		}
	}
	return machine
}

// gone reports whether a machine is gone for good: nobody has its Machine, and no pod is left of it. A seed that restores a shoot does not know
// the machines before it has restored the Worker.
func (r *Reconciler) gone(ctx context.Context, machine string) (bool, error) {
	for _, left := range []client.Object{&machinev1alpha1.Machine{}, &corev1.Pod{}} {
		key := client.ObjectKey{Namespace: r.Namespace, Name: machine}
		if _, pod := left.(*corev1.Pod); pod {
			key.Name = name.PodPrefix + machine
		}
		if err := r.Seed.Get(ctx, key, left); err == nil {
			return false, nil
		} else if !apierrors.IsNotFound(err) {
			return false, fmt.Errorf("look for machine %s: %w", machine, err)
		}
	}
	workers := &extensionsv1alpha1.WorkerList{}
	if err := r.Seed.List(ctx, workers, client.InNamespace(r.Namespace)); err != nil {
		return false, fmt.Errorf("list Workers: %w", err)
	}
	for i := range workers.Items {
		if !settled(&workers.Items[i]) {
			return false, nil
		}
	}
	return len(workers.Items) > 0, nil
}

// settled reports whether the machines of a Worker are in this seed.
func settled(worker *extensionsv1alpha1.Worker) bool {
	last := worker.Status.LastOperation
	return last != nil && last.State == gardencorev1beta1.LastOperationStateSucceeded && last.Type != gardencorev1beta1.LastOperationTypeMigrate
}
