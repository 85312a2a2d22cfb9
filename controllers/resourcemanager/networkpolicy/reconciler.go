package networkpolicy

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
)

// Reconciler handles Services.
type Reconciler struct {
	Name   string        // of the controller, unique in the process
	Target client.Client // uncached
	// Selectors select the namespaces of Services; without a selector all namespaces are selected.
	Selectors []metav1.LabelSelector
	// Ingress selects the pods that serve Ingresses; it may be nil.
	Ingress *config.IngressControllerSelector
	// Cache of the target, not limited to namespaces.
	Cache cache.Cache
	// Operated reports whether another component writes the same policies; nil means that none does.
	Operated func(context.Context) (bool, error)
	// Theirs returns a namespace whose Services another component handles, if any; nil means that there is none.
	Theirs func(context.Context) (string, error)
	// LookAgain is the interval for asking Operated and Theirs again; it is set if they are.
	LookAgain time.Duration
}

// Reconcile creates, updates and deletes the policies of one Service. It deletes the policies of a Service that is
// gone.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	if r.Operated != nil {
		if operated, err := r.Operated(ctx); err != nil {
			return reconcile.Result{}, err
		} else if operated {
			return r.later(ctx, request)
		}
	}
	if r.Theirs != nil {
		if theirs, err := r.Theirs(ctx); err != nil {
			return reconcile.Result{}, err
		} else if theirs == request.Namespace {
			return r.later(ctx, request)
		}
	}
	wanted, wrong := r.wanted(ctx, request.NamespacedName)
	if wrong != nil && wanted == nil {
		return reconcile.Result{}, wrong // existing policies stay
	}
	existing := &networkingv1.NetworkPolicyList{}
	if err := r.Cache.List(ctx, existing, client.MatchingLabels{labelName: request.Name, labelNamespace: request.Namespace}); err != nil {
		return reconcile.Result{}, fmt.Errorf("list network policies: %w", err)
	}
	keep := map[types.NamespacedName]bool{}
	applier := patch.Applier{Client: r.Target, Owner: "gardener-resource-manager"}
	errs := []error{wrong}
	for _, policy := range wanted {
		keep[client.ObjectKeyFromObject(policy)] = true
		if !has(existing.Items, policy) {
			_, err := applier.Apply(ctx, policy)
			errs = append(errs, err)
		}
	}
	for i := range existing.Items {
		if policy := &existing.Items[i]; !keep[client.ObjectKeyFromObject(policy)] {
			errs = append(errs, client.IgnoreNotFound(r.Target.Delete(ctx, policy)))
		}
	}
	return reconcile.Result{}, errors.Join(errs...)
}

// later looks again whether another component handles a Service, as long as the Service exists.
func (r *Reconciler) later(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	if err := r.Cache.Get(ctx, request.NamespacedName, &corev1.Service{}); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	return reconcile.Result{RequeueAfter: r.LookAgain}, nil
}

func (r *Reconciler) wanted(ctx context.Context, key types.NamespacedName) ([]*networkingv1.NetworkPolicy, error) {
	none := []*networkingv1.NetworkPolicy{}
	service := &corev1.Service{}
	if err := r.Cache.Get(ctx, key, service); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return none, nil
		}
		return nil, fmt.Errorf("read service %q: %w", key, err)
	}
	namespaces := metadataList()
	if err := r.Cache.List(ctx, namespaces); err != nil {
		return nil, fmt.Errorf("list namespaces: %w", err)
	}
	if handled, err := r.handles(key.Namespace, namespaces.Items); !handled || err != nil {
		return none, err
	}
	ingress, err := r.ingress(ctx, key)
	if err != nil {
		return nil, err
	}
	policies, err := Policies(service, namespaces.Items, ingress)
	if err != nil {
		err = fmt.Errorf("service %q: %w", key, err)
	}
	return policies, err
}

// handles reports whether a namespace exists and is selected.
func (r *Reconciler) handles(name string, namespaces []metav1.PartialObjectMetadata) (bool, error) {
	for _, namespace := range namespaces {
		if namespace.Name != name || namespace.DeletionTimestamp != nil {
			continue
		}
		for i := range r.Selectors {
			selector, err := metav1.LabelSelectorAsSelector(&r.Selectors[i])
			if err != nil {
				return false, fmt.Errorf("selector of namespaces: %w", err)
			}
			if selector.Matches(labels.Set(namespace.Labels)) {
				return true, nil
			}
		}
		return len(r.Selectors) == 0, nil
	}
	return false, nil
}

// ingress collects the ports of a Service that Ingresses lead to.
func (r *Reconciler) ingress(ctx context.Context, service types.NamespacedName) (*Ingress, error) {
	if r.Ingress == nil {
		return nil, nil
	}
	list := &networkingv1.IngressList{}
	if err := r.Cache.List(ctx, list, client.InNamespace(service.Namespace)); err != nil {
		return nil, fmt.Errorf("list ingresses: %w", err)
	}
	result := &Ingress{Namespace: r.Ingress.Namespace, Pods: r.Ingress.PodSelector}
	for i := range list.Items {
		for _, backend := range backends(&list.Items[i]) {
			if backend.Name == service.Name {
				result.Ports = append(result.Ports, backend.Port)
			}
		}
	}
	return result, nil
}

// backends returns the Services that an Ingress leads to.
func backends(ingress *networkingv1.Ingress) (result []networkingv1.IngressServiceBackend) {
	add := func(backend *networkingv1.IngressBackend) {
		if backend != nil && backend.Service != nil {
			result = append(result, *backend.Service)
		}
	}
	add(ingress.Spec.DefaultBackend)
	for _, rule := range ingress.Spec.Rules {
		if rule.HTTP == nil {
			continue
		}
		for i := range rule.HTTP.Paths {
			add(&rule.HTTP.Paths[i].Backend)
		}
	}
	return result
}
