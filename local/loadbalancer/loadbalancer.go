// Package loadbalancer gives Services of type LoadBalancer an address: the addresses of all ready nodes. Machines
// that are containers or processes on this computer need no balancer. On containers, kube-proxy treats traffic to an address in the
// status of a Service as traffic to the Service. Embedded nodes listen there (embedded/node/serviceports). Services with another load balancer
// class are ignored.
package loadbalancer

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
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

	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Reconciler keeps the status of one Service.
type Reconciler struct {
	// Client and Cache of the cluster with the Services and the nodes.
	Client client.Client
	Cache  cache.Cache
}

// AddToManager adds the controller to a manager, which may be that of another cluster.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	err := builder.ControllerManagedBy(mgr).Named("provider-local-loadbalancer").
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind[client.Object](r.Cache, &corev1.Service{}, &handler.EnqueueRequestForObject{}, predicate.NewPredicateFuncs(mine))).
		WatchesRawSource(source.Kind[client.Object](r.Cache, &corev1.Node{}, handler.EnqueueRequestsFromMapFunc(r.all), changed)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller for load balancers: %w", err)
	}
	return nil
}

func mine(object client.Object) bool {
	service, ok := object.(*corev1.Service)
	return ok && service.Spec.Type == corev1.ServiceTypeLoadBalancer && service.Spec.LoadBalancerClass == nil
}

// changed ignores the regular status reports of nodes.
var changed = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, ok := e.ObjectOld.(*corev1.Node)
	now, also := e.ObjectNew.(*corev1.Node)
	return !ok || !also || !slices.Equal(addressesOf(before), addressesOf(now))
}}

// all lists the Services whose addresses may include a node's.
func (r *Reconciler) all(ctx context.Context, _ client.Object) []reconcile.Request {
	services := &corev1.ServiceList{}
	if err := r.Client.List(ctx, services); err != nil {
		log.FromContext(ctx).Error(err, "Could not list services")
		return nil
	}
	var out []reconcile.Request
	for i := range services.Items {
		if mine(&services.Items[i]) {
			out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&services.Items[i])})
		}
	}
	return out
}

// Reconcile writes the addresses.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	service := &corev1.Service{}
	if err := r.Client.Get(ctx, req.NamespacedName, service); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if service.DeletionTimestamp != nil || !mine(service) {
		return reconcile.Result{}, nil
	}
	nodes := &corev1.NodeList{}
	if err := r.Client.List(ctx, nodes); err != nil {
		return reconcile.Result{}, fmt.Errorf("list nodes: %w", err)
	}
	before := service.DeepCopy()
	service.Status.LoadBalancer.Ingress = ingress(nodes.Items, before.Status.LoadBalancer.Ingress)
	if equality.Semantic.DeepEqual(before.Status, service.Status) {
		return reconcile.Result{}, nil
	}
	if err := r.Client.Status().Patch(ctx, service, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("write addresses of service %q: %w", req.NamespacedName, err)
	}
	return reconcile.Result{}, nil
}

// ingress keeps the fields that the server added to addresses that stay.
func ingress(nodes []corev1.Node, before []corev1.LoadBalancerIngress) []corev1.LoadBalancerIngress {
	var addresses []string
	for i := range nodes {
		addresses = append(addresses, addressesOf(&nodes[i])...)
	}
	slices.Sort(addresses)
	var out []corev1.LoadBalancerIngress
	for _, address := range slices.Compact(addresses) {
		entry := corev1.LoadBalancerIngress{IP: address}
		if i := slices.IndexFunc(before, func(b corev1.LoadBalancerIngress) bool { return b.IP == address }); i >= 0 {
			entry = before[i]
		}
		out = append(out, entry)
	}
	return out
}

// addressesOf are the internal addresses of a node that is ready and not being deleted.
func addressesOf(node *corev1.Node) []string {
	ready := slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
	if !ready || node.DeletionTimestamp != nil {
		return nil
	}
	var out []string
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			out = append(out, address.Address)
		}
	}
	return out
}
