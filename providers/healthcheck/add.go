package healthcheck

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/reconcile"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

const (
	defaultPeriod  = 30 * time.Second
	defaultWorkers = 5
)

// Options say which objects of a kind are checked, and how.
type Options[T extensionsv1alpha1.Object] struct {
	// Provider is the name of the provider; the controller is called "<provider>-<kind>-health".
	Provider string
	// Types and Classes are those of reconcile.Options.
	Types   []string
	Classes []extensionsv1alpha1.ExtensionClass
	// Condition is the type of the condition.
	Condition gardencorev1beta1.ConditionType
	// Check looks at an object.
	Check Check[T]
	// Period is the interval between checks. Default: 30 seconds.
	Period time.Duration
	// WokenBy is a kind whose changes trigger a check of the objects in the same namespace; nil for none. Wakes says which of its objects
	// matter.
	WokenBy client.Object
	Wakes   func(client.Object) bool
}

// Add adds the checks of one kind to the manager of the cluster that holds the objects, which is the seed.
func Add[T reconcile.Object[E], E any](mgr manager.Manager, options Options[T]) error {
	options.Period = cmp.Or(options.Period, defaultPeriod)
	r := &Reconciler[T, E]{Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Clock: time.Now, Options: options}
	return r.AddToManager(mgr, workers.Options{Count: defaultWorkers})
}

// AddToManager adds the controller to the manager of the cluster that holds the objects.
func (r *Reconciler[T, E]) AddToManager(mgr manager.Manager, options workers.Options) error {
	obj := T(new(E))
	name := r.Options.Provider + "-" + strings.ToLower(contract.Kind(obj)) + "-health"
	responsible := predicate.NewPredicateFuncs(func(object client.Object) bool {
		extension, ok := object.(extensionsv1alpha1.Object)
		return ok && reconcile.Responsible(extension, r.Options.Types, r.Options.Classes)
	})
	b := builder.ControllerManagedBy(mgr).Named(name)
	if r.Options.WokenBy != nil {
		wake, err := reconcile.Neighbours(mgr.GetClient(), obj)
		if err != nil {
			return err
		}
		b.Watches(r.Options.WokenBy, handler.EnqueueRequestsFromMapFunc(wake), builder.WithPredicates(predicate.NewPredicateFuncs(r.Options.Wakes)))
	}
	if err := b.For(obj, builder.WithPredicates(responsible, finished())).WithOptions(options.Controller()).Complete(r); err != nil {
		return fmt.Errorf("add controller %s: %w", name, err)
	}
	return nil
}

// finished passes the event that an operation has succeeded, and nothing that this controller writes.
func finished() predicate.Predicate {
	succeeded := func(object client.Object) bool {
		extension, ok := object.(extensionsv1alpha1.Object)
		if !ok {
			return false
		}
		last := extension.GetExtensionStatus().GetLastOperation()
		return last != nil && last.State == gardencorev1beta1.LastOperationStateSucceeded
	}
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool { return !succeeded(e.ObjectOld) && succeeded(e.ObjectNew) },
		DeleteFunc: func(event.DeleteEvent) bool { return false },
	}
}
