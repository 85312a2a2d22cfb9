package networkpolicy

import (
	"context"
	"errors"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	general "github.com/gardener-up/gardener-up/controllers/gardenlet/networkpolicy"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	services "github.com/gardener-up/gardener-up/controllers/resourcemanager/networkpolicy"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// fieldOwner is that of the operator, not of a gardenlet: nobody else writes these policies.
const fieldOwner = client.FieldOwner("gardener-operator-networkpolicy")

// Reconciler handles the namespace of the Garden. All fields are required unless said otherwise.
type Reconciler struct {
	// Gardens reads Gardens from a cache that the manager has anyway.
	Gardens client.Reader
	Client  client.Client // uncached
	// Namespace of the Garden.
	Namespace string
	// Entrance is the name of the Service of the virtual garden's API server.
	Entrance string
	// Resolvers returns the addresses of the name servers of the cluster's pods; nil if they are not known.
	Resolvers func() []string

	own client.Reader // cached
}

// Reconcile writes all policies while there is a Garden, and deletes what it has written when there is none.
func (r *Reconciler) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	wanted, wrong, err := r.wanted(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	existing, err := r.existing(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	if len(wanted) == 0 {
		return reconcile.Result{}, r.open(ctx, existing)
	}
	return reconcile.Result{}, errors.Join(wrong, r.write(ctx, existing, wanted))
}

func (r *Reconciler) wanted(ctx context.Context) (policies []*networkingv1.NetworkPolicy, wrong, err error) {
	gardens := &operatorv1alpha1.GardenList{}
	if err := r.Gardens.List(ctx, gardens); err != nil {
		return nil, nil, fmt.Errorf("list Gardens: %w", err)
	}
	w := World{Namespace: r.Namespace, Entrance: r.Entrance, Garden: oldest(gardens.Items)}
	if w.Garden == nil {
		return nil, nil, nil
	}
	all, namespaces := &corev1.ServiceList{}, &metav1.PartialObjectMetadataList{}
	namespaces.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	if err := r.own.List(ctx, all, client.InNamespace(r.Namespace)); err != nil {
		return nil, nil, fmt.Errorf("list services: %w", err)
	}
	if err := r.own.List(ctx, namespaces); err != nil {
		return nil, nil, fmt.Errorf("list namespaces: %w", err)
	}
	if w.APIServer, err = general.APIServer(ctx, r.own); err != nil {
		return nil, nil, err
	}
	if r.Resolvers != nil {
		w.Resolvers = r.Resolvers()
	}
	w.Services, w.Namespaces = all.Items, namespaces.Items
	policies, wrong = Plan(w)
	return policies, wrong, nil
}

// oldest is the Garden that the operator runs; nil if there is none.
func oldest(gardens []operatorv1alpha1.Garden) (found *operatorv1alpha1.Garden) {
	for i := range gardens {
		if found == nil || gardens[i].CreationTimestamp.Before(&found.CreationTimestamp) {
			found = &gardens[i]
		}
	}
	return found
}

// existing are the policies of this controller, and those for Services of the namespace, which a gardenlet writes while there is no Garden.
func (r *Reconciler) existing(ctx context.Context) (map[client.ObjectKey]*networkingv1.NetworkPolicy, error) {
	list := &networkingv1.NetworkPolicyList{}
	if err := r.own.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list network policies: %w", err)
	}
	found := map[client.ObjectKey]*networkingv1.NetworkPolicy{}
	for i := range list.Items {
		if policy := &list.Items[i]; r.matters(policy) {
			found[client.ObjectKeyFromObject(policy)] = policy
		}
	}
	return found, nil
}

func (r *Reconciler) matters(policy *networkingv1.NetworkPolicy) bool {
	return policy.Namespace == r.Namespace && isOurs(policy) || policy.Labels[services.LabelNamespace] == r.Namespace
}

// isOurs reports whether this controller has written a policy, or has taken it over.
func isOurs(policy *networkingv1.NetworkPolicy) bool {
	return policy.Labels[labelManagedBy] == managedBy
}

// write applies the policies that differ, in their order, and then deletes those that are not wanted.
func (r *Reconciler) write(ctx context.Context, existing map[client.ObjectKey]*networkingv1.NetworkPolicy, wanted []*networkingv1.NetworkPolicy) error {
	applier := patch.Applier{Client: r.Client, Owner: fieldOwner}
	for _, policy := range wanted {
		current := existing[client.ObjectKeyFromObject(policy)]
		delete(existing, client.ObjectKeyFromObject(policy))
		if current != nil && equality.Semantic.DeepEqual(current.Spec, policy.Spec) && labels.SelectorFromSet(policy.Labels).Matches(labels.Set(current.Labels)) {
			continue
		}
		if _, err := applier.Apply(ctx, policy); err != nil {
			return err // the policy that denies all traffic must wait for those that allow some
		}
	}
	return r.delete(ctx, existing)
}

// open deletes the policies of this controller. It begins with the policy that denies all traffic, since without the others that policy would
// cut off running pods. Policies that a gardenlet has written stay: pods of a seed need them.
func (r *Reconciler) open(ctx context.Context, existing map[client.ObjectKey]*networkingv1.NetworkPolicy) error {
	maps.DeleteFunc(existing, func(_ client.ObjectKey, policy *networkingv1.NetworkPolicy) bool { return !isOurs(policy) })
	closed := client.ObjectKey{Namespace: r.Namespace, Name: general.DenyAll}
	if policy := existing[closed]; policy != nil {
		if err := r.delete(ctx, map[client.ObjectKey]*networkingv1.NetworkPolicy{closed: policy}); err != nil {
			return err
		}
		delete(existing, closed)
	}
	return r.delete(ctx, existing)
}

func (r *Reconciler) delete(ctx context.Context, policies map[client.ObjectKey]*networkingv1.NetworkPolicy) error {
	var errs []error
	for key, policy := range policies {
		if err := r.Client.Delete(ctx, policy); client.IgnoreNotFound(err) != nil {
			errs = append(errs, fmt.Errorf("delete network policy %q: %w", key, err))
		}
	}
	return errors.Join(errs...)
}
