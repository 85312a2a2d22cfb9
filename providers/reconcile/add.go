package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

const (
	// defaultWorkers is enough for several Shoots that are created at once.
	defaultWorkers = 5
	// firstRetry and lastRetry bound the back-off after errors.
	firstRetry = 200 * time.Millisecond
	lastRetry  = time.Minute
)

// Options say which objects of a kind a controller acts on, and how.
type Options[T extensionsv1alpha1.Object] struct {
	// Provider is the name of the provider; the controller is called "<provider>-<kind>".
	Provider string
	// Types are the values of spec.type that the controller is responsible for; at least one.
	Types []string
	// Classes are the values of spec.class that the controller is responsible for. An empty class counts as shoot.
	// Default: shoot.
	Classes []extensionsv1alpha1.ExtensionClass
	// Actuator does the work.
	Actuator contract.Actuator[T]
	// Ownership says whether the seed may act for a shoot; nil if it always may. See package ownership.
	Ownership Ownership
	// IgnoreOperationAnnotation makes the controller act on every change of the spec.
	IgnoreOperationAnnotation bool
	// WokenBy are kinds whose changes trigger a reconciliation of the waiting objects in the same namespace, before
	// their next regular one.
	WokenBy []client.Object
	// Workers is the number of objects reconciled at once. Default: 5.
	Workers int
}

// Add adds a controller for one kind to the manager of the cluster that holds the objects, which is the seed.
func Add[T Object[E], E any](mgr manager.Manager, options Options[T]) error {
	r := &Reconciler[T, E]{Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Clock: time.Now, Options: options}
	return r.AddToManager(mgr, workers.Options{Count: cmp.Or(options.Workers, defaultWorkers), FirstRetry: firstRetry, LastRetry: lastRetry})
}

// AddToManager adds the controller to the manager of the cluster that holds the objects.
func (r *Reconciler[T, E]) AddToManager(mgr manager.Manager, options workers.Options) error {
	obj := T(new(E))
	name := r.Options.Provider + "-" + strings.ToLower(contract.Kind(obj))
	wake, err := Neighbours(mgr.GetClient(), obj)
	if err != nil {
		return err
	}
	b := builder.ControllerManagedBy(mgr).Named(name)
	for _, kind := range r.Options.WokenBy {
		b.Watches(kind, handler.EnqueueRequestsFromMapFunc(wake))
	}
	err = b.For(obj, builder.WithPredicates(predicate.NewPredicateFuncs(r.Options.responsible), changed())).
		WithOptions(options.Controller()).
		Complete(r)
	if err != nil {
		return fmt.Errorf("add controller %s: %w", name, err)
	}
	return nil
}

// responsible reports whether the controller is responsible for an object's type and class.
func (o Options[T]) responsible(obj client.Object) bool {
	extension, ok := obj.(extensionsv1alpha1.Object)
	return ok && Responsible(extension, o.Types, o.Classes)
}

// Responsible reports whether a controller for these types and classes is responsible for an object. The class is shoot if there is none.
func Responsible(obj extensionsv1alpha1.Object, types []string, classes []extensionsv1alpha1.ExtensionClass) bool {
	spec := obj.GetExtensionSpec()
	if len(classes) == 0 {
		classes = []extensionsv1alpha1.ExtensionClass{extensionsv1alpha1.ExtensionClassShoot}
	}
	return slices.Contains(types, spec.GetExtensionType()) && slices.Contains(classes, spec.GetExtensionClass())
}

// changed ignores changes of the status, which the controller itself writes. Reacting to them would undo the
// back-off after errors.
func changed() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() ||
				(e.ObjectOld.GetDeletionTimestamp() == nil) != (e.ObjectNew.GetDeletionTimestamp() == nil) ||
				!maps.Equal(e.ObjectOld.GetAnnotations(), e.ObjectNew.GetAnnotations())
		},
		DeleteFunc: func(event.DeleteEvent) bool { return false },
	}
}
