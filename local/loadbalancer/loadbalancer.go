// Package loadbalancer gives Services of type LoadBalancer an address: the addresses of all ready nodes. Machines
// that are containers or processes on this computer need no balancer. On containers, kube-proxy treats traffic to an address in the
// status of a Service as traffic to the Service. Embedded nodes listen there (embedded/node/serviceports). Services with another load balancer
// class are ignored.
package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/embedded/pages"
	"github.com/gardener-up/gardener-up/local/cloudcontroller/feed"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

const (
	// mostServices is how many are listed, at most.
	mostServices = 1000
	// mostAgain is how many are tried again after a failure. The others are tried when they change, or with the next list.
	mostAgain = 100
)

// Reconciler keeps the status of Services.
type Reconciler struct {
	// Client of the cluster with the Services and the nodes, without a cache.
	Client client.WithWatch

	services, nodes *feed.Feed
	known           known
}

// AddToManager adds the controller to a manager, which may be that of another cluster.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	r.services = &feed.Feed{Client: r.Client, List: &corev1.ServiceList{}, Options: []client.ListOption{balanced}, Most: mostServices, Offer: feed.If(mine)}
	r.nodes = &feed.Feed{
		Client: r.Client, List: &corev1.NodeList{}, Most: mostNodes, Offer: r.known.offer, Again: r.known.begin, Complete: r.known.complete,
	}
	err := builder.ControllerManagedBy(mgr).Named("provider-local-loadbalancer").
		WithOptions(options.Controller()).
		WatchesRawSource(r.services).
		WatchesRawSource(r.nodes).
		Complete(&feed.Retries{Of: r, Most: mostAgain})
	if err != nil {
		return fmt.Errorf("add controller for load balancers: %w", err)
	}
	return nil
}

// Ready is an error until Services and nodes have been read.
func (r *Reconciler) Ready(request *http.Request) error {
	if err := r.services.Ready(request); err != nil {
		return err
	}
	return r.nodes.Ready(request)
}

// balanced are the Services that the API server needs to list.
var balanced = client.MatchingFields{"spec.type": string(corev1.ServiceTypeLoadBalancer)}

func mine(object client.Object) bool {
	service, ok := object.(*corev1.Service)
	return ok && service.Spec.Type == corev1.ServiceTypeLoadBalancer && service.Spec.LoadBalancerClass == nil
}

// Reconcile writes the addresses of one Service, or of all. Before all nodes have been listed it does nothing: then all Services are looked at.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	addresses, listed := r.known.addresses()
	if !listed {
		return reconcile.Result{}, nil
	}
	if req != everything {
		service := &corev1.Service{}
		if err := r.Client.Get(ctx, req.NamespacedName, service); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		return reconcile.Result{}, r.write(ctx, service, addresses)
	}
	var failed error // the first one: a webhook of the shoot may refuse all writes
	for page, err := range pages.Of(ctx, r.Client, &corev1.ServiceList{}, mostServices, balanced) {
		if many := (*pages.TooMany)(nil); errors.As(err, &many) {
			break // the others are looked at when they change
		}
		if err != nil {
			return reconcile.Result{}, fmt.Errorf("list services: %w", err)
		}
		for i := range page.Items {
			if err := r.write(ctx, &page.Items[i], addresses); err != nil && failed == nil {
				failed = err
			}
		}
	}
	return reconcile.Result{}, failed
}

func (r *Reconciler) write(ctx context.Context, service *corev1.Service, addresses []string) error {
	if service.DeletionTimestamp != nil || !mine(service) {
		return nil
	}
	before := service.DeepCopy()
	service.Status.LoadBalancer.Ingress = ingress(addresses, before.Status.LoadBalancer.Ingress)
	if equality.Semantic.DeepEqual(before.Status, service.Status) {
		return nil
	}
	if err := r.Client.Status().Patch(ctx, service, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write addresses of service %s/%s: %w", service.Namespace, service.Name, err)
	}
	return nil
}

// ingress keeps the fields that the server added to addresses that stay.
func ingress(addresses []string, before []corev1.LoadBalancerIngress) []corev1.LoadBalancerIngress {
	var out []corev1.LoadBalancerIngress
	for _, address := range addresses {
		entry := corev1.LoadBalancerIngress{IP: address}
		if i := slices.IndexFunc(before, func(b corev1.LoadBalancerIngress) bool { return b.IP == address }); i >= 0 {
			entry = before[i]
		}
		out = append(out, entry)
	}
	return out
}
