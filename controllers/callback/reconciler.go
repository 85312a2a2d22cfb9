// Package callback keeps a connection to each pod of the component landscape-callback of a seed, so that pods and the API server of the seed reach
// servers of this process. It knows neither the servers nor what is said on a connection.
package callback

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/internal/owncache"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Reconciler handles the pods of one seed. All fields are required.
type Reconciler struct {
	SeedName string
	// Connect opens a connection to the component in a pod. ctx bounds the opening only.
	Connect func(ctx context.Context, pod types.NamespacedName) (io.ReadWriteCloser, error)
	// Answer answers what comes from a pod until the connection breaks or ctx ends, and closes the connection. It calls up when the component has
	// answered.
	Answer func(ctx context.Context, conn io.ReadWriteCloser, up func()) error
	Clock  clock.Clock

	pods  client.Reader // cached
	links *links
}

// AddToManager adds the controller to the manager of the seed, with a cache of its own. Connections end with the manager.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "callback-" + r.SeedName
	own, err := owncache.New(mgr, mgr, cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Pod{}: {
		Namespaces: map[string]cache.Config{constants.GardenNamespace: {}}, Label: labels.SelectorFromSet(component.Labels()),
	}}})
	if err != nil {
		return fmt.Errorf("make cache of %q: %w", name, err)
	}
	r.pods, r.links = own, newLinks(r.Connect, r.Answer, r.Clock, mgr.GetLogger().WithName(name))
	if err := mgr.Add(manager.RunnableFunc(r.links.run)); err != nil {
		return fmt.Errorf("add connections of %q: %w", name, err)
	}
	err = builder.ControllerManagedBy(mgr).Named(name).WithOptions(options.Controller()).
		WatchesRawSource(source.Kind(own, &corev1.Pod{}, &handler.TypedEnqueueRequestForObject[*corev1.Pod]{})).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

// Reconcile connects to a pod that runs, and gives up one that does not run any more. A pod that is being deleted keeps its connection, since
// calls may still be under way, but gets no first one.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	pod := &corev1.Pod{}
	if err := r.pods.Get(ctx, request.NamespacedName, pod); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("read pod %s: %w", request, err)
	}
	switch {
	case pod.Status.Phase != corev1.PodRunning: // or there is no such pod
		r.links.drop(request.NamespacedName)
	case pod.DeletionTimestamp == nil:
		r.links.keep(request.NamespacedName)
	}
	return reconcile.Result{}, nil
}
