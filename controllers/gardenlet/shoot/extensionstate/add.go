package extensionstate

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. Objects of the seed whose state changes wake it.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	name := "gardenlet-" + r.SeedName + "-shoot-extensionstate"
	controller := builder.ControllerManagedBy(mgr).Named(name).WithOptions(options.Controller())
	for _, kind := range Kinds() {
		made, err := r.Objects.Client.Scheme().New(extensionsv1alpha1.SchemeGroupVersion.WithKind(kind))
		if err != nil {
			return fmt.Errorf("find kind %s: %w", kind, err)
		}
		controller = controller.WatchesRawSource(source.Kind(r.SeedCache, made.(client.Object), handler.TypedEnqueueRequestsFromMapFunc(ofNamespace), stateChanged()))
	}
	if err := controller.Complete(r); err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}

func ofNamespace(_ context.Context, object client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: object.GetNamespace()}}}
}

// stateChanged passes events about objects that have or had a state.
func stateChanged() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return hasState(e.Object) },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return stateOf(e.ObjectOld) != stateOf(e.ObjectNew)
		},
		DeleteFunc: func(e event.DeleteEvent) bool { return hasState(e.Object) },
	}
}

func hasState(object client.Object) bool { return stateOf(object) != "" }

func stateOf(object client.Object) string {
	extension, ok := object.(extensionsv1alpha1.Object)
	if !ok {
		return ""
	}
	text := ""
	if state := extension.GetExtensionStatus().GetState(); state != nil {
		text = string(state.Raw)
	}
	for _, resource := range extension.GetExtensionStatus().GetResources() {
		text += fmt.Sprintf("\n%+v", resource)
	}
	return text
}
