package networkpolicy

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/gardener-up/gardener-up/controllers/internal/owncache"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// ControllerName is the name of the controller.
const ControllerName = "operator-networkpolicy"

// AddToManager adds the controller to the manager of the runtime cluster. Whatever changes, it reconciles the one namespace. It reads through a small
// cache of its own.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	own, err := owncache.New(mgr, mgr, cache.Options{DefaultTransform: cache.TransformStripManagedFields(), ByObject: map[client.Object]cache.ByObject{
		&corev1.Service{}: {Namespaces: map[string]cache.Config{r.Namespace: {}}},
		&discoveryv1.EndpointSlice{}: {
			Namespaces: map[string]cache.Config{metav1.NamespaceDefault: {}}, Label: labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: "kubernetes"}),
		},
	}})
	if err != nil {
		return fmt.Errorf("make cache of %q: %w", ControllerName, err)
	}
	r.own = own
	namespaces := &metav1.PartialObjectMetadata{}
	namespaces.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	err = builder.ControllerManagedBy(mgr).Named(ControllerName).
		WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(mgr.GetCache(), &operatorv1alpha1.Garden{}, wake[*operatorv1alpha1.Garden](r, nil))).
		WatchesRawSource(source.Kind(own, &corev1.Service{}, wake[*corev1.Service](r, nil))).
		WatchesRawSource(source.Kind(own, &discoveryv1.EndpointSlice{}, wake[*discoveryv1.EndpointSlice](r, nil))).
		WatchesRawSource(source.Kind(own, namespaces, wake[*metav1.PartialObjectMetadata](r, nil))).
		WatchesRawSource(source.Kind(own, &networkingv1.NetworkPolicy{}, wake(r, r.matters))).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", ControllerName, err)
	}
	return nil
}

// wake maps all objects, or those that matter, to the one request.
func wake[T client.Object](r *Reconciler, matters func(T) bool) handler.TypedEventHandler[T, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, object T) []reconcile.Request {
		if matters != nil && !matters(object) {
			return nil
		}
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: r.Namespace}}}
	})
}

// OfPod are the name servers of this process, if it is a pod of the cluster: those of all pods there. They may be addresses of nodes that no policy
// could know otherwise.
func OfPod() []string {
	if os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		return nil
	}
	text, err := os.ReadFile("/etc/resolv.conf")
	if err != nil { // the usual addresses are allowed anyway
		return nil
	}
	return resolvers(string(text))
}

func resolvers(text string) []string {
	configuration, err := dns.ClientConfigFromReader(strings.NewReader(text))
	if err != nil {
		return nil
	}
	return configuration.Servers
}
