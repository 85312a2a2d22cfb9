package oidcwebhook

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	oidcv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/openidconnect/v1alpha1"
)

// How long a new provider may take to read its keys, and how long a problem is not told again.
const firstLook, laterLooks = 5 * time.Second, time.Minute

// reconciler makes the providers those of the cluster.
type reconciler struct {
	client    client.Client
	providers *providers
	events    events.EventRecorder
}

func (r *reconciler) addTo(mgr manager.Manager) error {
	return builder.ControllerManagedBy(mgr).Named("openidconnect").For(&oidcv1alpha1.OpenIDConnect{}).
		WithOptions(controller.Options{SkipNameValidation: ptr.To(true)}). // tests run several of them
		Complete(r)
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	object := &oidcv1alpha1.OpenIDConnect{}
	if err := r.client.Get(ctx, req.NamespacedName, object); apierrors.IsNotFound(err) {
		r.providers.remove(req.Name)
		return reconcile.Result{}, nil
	} else if err != nil {
		return reconcile.Result{}, err
	}
	if object.DeletionTimestamp != nil {
		r.providers.remove(req.Name)
		return reconcile.Result{}, nil
	}
	if err := r.providers.set(object); err != nil {
		r.events.Eventf(object, nil, corev1.EventTypeWarning, "InvalidProvider", "Reconcile", "No token of this provider is valid: %v", err)
		return reconcile.Result{}, reconcile.TerminalError(err) // only another object can be better
	}
	return r.look(object), nil
}

// look tells the user if the provider has no keys, and looks again then. A new provider gets some time first.
func (r *reconciler) look(object *oidcv1alpha1.OpenIDConnect) reconcile.Result {
	provider := r.providers.get(object.Name)
	problem := provider.problem()
	switch {
	case problem == nil:
		return reconcile.Result{}
	case !provider.looked:
		provider.looked = true
		return reconcile.Result{RequeueAfter: firstLook}
	}
	r.events.Eventf(object, nil, corev1.EventTypeWarning, "NoProvider", "Reconcile", "No token of this provider is valid: %v", problem)
	return reconcile.Result{RequeueAfter: laterLooks}
}
