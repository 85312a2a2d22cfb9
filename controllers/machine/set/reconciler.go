package set

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// Reconciler reconciles one MachineSet.
type Reconciler struct {
	// Client reads MachineSets and Machines from a cache.
	Client client.Client
	// Reader reads Machines from the API server before Machines are made or removed: with an outdated cache, the reconciler would
	// make too many.
	Reader client.Reader
	// Frozen reports whether machines must stay as they are, apart from deletions of sets.
	Frozen func(ctx context.Context) bool
	// Clock for the times in the status.
	Clock clock.PassiveClock
	// Retry is the pause while machines are frozen.
	Retry time.Duration
}

// Reconcile makes or removes Machines until their number is the desired one.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	set := &machinev1alpha1.MachineSet{}
	if err := r.Client.Get(ctx, req.NamespacedName, set); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if set.DeletionTimestamp != nil {
		return reconcile.Result{}, r.delete(ctx, set)
	}
	if r.Frozen(ctx) {
		return reconcile.Result{RequeueAfter: r.Retry}, nil
	}
	err := patch.Metadata(ctx, r.Client, set, func() {
		controllerutil.AddFinalizer(set, machinev1alpha1.DeleteFinalizerName)
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	machines, err := r.machines(ctx, r.Client, set)
	if err != nil {
		return reconcile.Result{}, err
	}
	machines, failure := r.scale(ctx, set, machines)
	if failure == nil {
		failure = r.handOn(ctx, set, machines)
	}
	again, err := r.saveStatus(ctx, set, machines, failure)
	return reconcile.Result{RequeueAfter: again}, errors.Join(failure, err)
}

// scale brings the number of machines to that of the spec and returns the machines it knows then.
func (r *Reconciler) scale(ctx context.Context, set *machinev1alpha1.MachineSet, machines []*machinev1alpha1.Machine) ([]*machinev1alpha1.Machine, error) {
	if decide(set, machines).nothing() {
		return machines, nil
	}
	moving, err := r.moving(ctx, set) // before the others: a machine that moves in between is counted twice rather than not at all
	if err != nil {
		return machines, err
	}
	live, err := r.machines(ctx, r.Reader, set)
	if err != nil {
		return machines, err
	}
	todo := decide(set, live)
	todo.create = max(todo.create-moving, 0)
	if !todo.nothing() {
		log.FromContext(ctx).Info("Scaling machine set", "create", todo.create, "remove", len(todo.remove))
	}
	for _, machine := range todo.remove {
		if err := r.Client.Delete(ctx, machine); client.IgnoreNotFound(err) != nil {
			return live, fmt.Errorf("delete Machine %q: %w", machine.Name, err)
		}
		now := metav1.NewTime(r.Clock.Now())
		machine.DeletionTimestamp = &now // so that it does not count below
	}
	for range todo.create {
		machine, err := r.create(ctx, set)
		if err != nil {
			return live, err
		}
		live = append(live, machine)
	}
	return live, nil
}

func (r *Reconciler) create(ctx context.Context, set *machinev1alpha1.MachineSet) (*machinev1alpha1.Machine, error) {
	template := set.Spec.Template.DeepCopy()
	machine := &machinev1alpha1.Machine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       set.Namespace,
			Name:            set.Name + "-" + rand.String(5),
			Labels:          template.Labels,
			Annotations:     template.Annotations,
			Finalizers:      []string{machinev1alpha1.FinalizerName},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, machinev1alpha1.SchemeGroupVersion.WithKind("MachineSet"))},
		},
		Spec: template.Spec,
	}
	if machine.Spec.Class.Name == "" {
		machine.Spec.Class = set.Spec.MachineClass
	}
	if err := r.Client.Create(ctx, machine); err != nil {
		return nil, fmt.Errorf("create Machine %q: %w", machine.Name, err)
	}
	return machine, nil
}

// handOn gives the machines what the template says about nodes and timeouts now.
func (r *Reconciler) handOn(ctx context.Context, set *machinev1alpha1.MachineSet, machines []*machinev1alpha1.Machine) error {
	template := &set.Spec.Template.Spec
	for _, machine := range machines {
		if machine.DeletionTimestamp != nil {
			continue
		}
		err := patch.Metadata(ctx, r.Client, machine, func() {
			machine.Spec.NodeTemplateSpec = *template.NodeTemplateSpec.DeepCopy()
			machine.Spec.MachineConfiguration = template.MachineConfiguration.DeepCopy()
		})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("update Machine: %w", err)
		}
	}
	return nil
}

// machines lists the machines of the set, those being deleted among them.
func (r *Reconciler) machines(ctx context.Context, reader client.Reader, set *machinev1alpha1.MachineSet) ([]*machinev1alpha1.Machine, error) {
	selector, err := metav1.LabelSelectorAsSelector(set.Spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("read selector of MachineSet %q: %w", set.Name, err)
	}
	list := &machinev1alpha1.MachineList{}
	if err := reader.List(ctx, list, client.InNamespace(set.Namespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		return nil, fmt.Errorf("list Machines: %w", err)
	}
	var out []*machinev1alpha1.Machine
	for i := range list.Items {
		if err := r.adopt(ctx, set, &list.Items[i]); err != nil {
			return nil, err
		}
		if metav1.IsControlledBy(&list.Items[i], set) {
			out = append(out, &list.Items[i])
		}
	}
	return out, nil
}

// moving counts the machines of other sets that have been updated in place and are about to become machines of this set.
func (r *Reconciler) moving(ctx context.Context, set *machinev1alpha1.MachineSet) (int, error) {
	list := &machinev1alpha1.MachineList{}
	if err := r.Reader.List(ctx, list, client.InNamespace(set.Namespace), client.HasLabels{machinev1alpha1.CandidateForUpdateLabel}); err != nil {
		return 0, fmt.Errorf("list Machines that are updated in place: %w", err)
	}
	count := 0
	for i := range list.Items {
		machine := &list.Items[i]
		wanted := machine.Annotations[machinev1alpha1.UpdateClassAnnotation]
		if machine.DeletionTimestamp == nil && !metav1.IsControlledBy(machine, set) && wanted == machine.Annotations[machinev1alpha1.UpdatedClassAnnotation] &&
			machine.Annotations[machinev1alpha1.UpdateSetAnnotation] == set.Name && machine.Status.CurrentStatus.Phase != machinev1alpha1.MachineFailed {
			count++
		}
	}
	return count, nil
}

// adopt takes over a machine of the set's selector that nobody controls, such as one that another seed had.
func (r *Reconciler) adopt(ctx context.Context, set *machinev1alpha1.MachineSet, machine *machinev1alpha1.Machine) error {
	if metav1.GetControllerOf(machine) != nil || set.DeletionTimestamp != nil || machine.DeletionTimestamp != nil {
		return nil
	}
	err := patch.Metadata(ctx, r.Client, machine, func() {
		machine.OwnerReferences = append(machine.OwnerReferences, *metav1.NewControllerRef(set, machinev1alpha1.SchemeGroupVersion.WithKind("MachineSet")))
	})
	if err != nil {
		return fmt.Errorf("adopt Machine %q: %w", machine.Name, err)
	}
	return nil
}

// delete removes the machines, and the finalizer of the set when they are gone.
func (r *Reconciler) delete(ctx context.Context, set *machinev1alpha1.MachineSet) error {
	if !controllerutil.ContainsFinalizer(set, machinev1alpha1.DeleteFinalizerName) {
		return nil
	}
	machines, err := r.machines(ctx, r.Reader, set)
	if err != nil {
		return err
	}
	for _, machine := range machines {
		if machine.DeletionTimestamp != nil {
			continue
		}
		if err := r.Client.Delete(ctx, machine); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete Machine %q: %w", machine.Name, err)
		}
	}
	if len(machines) > 0 {
		_, err := r.saveStatus(ctx, set, machines, nil) // the last machine's end wakes us
		return err
	}
	return client.IgnoreNotFound(patch.Metadata(ctx, r.Client, set, func() {
		controllerutil.RemoveFinalizer(set, machinev1alpha1.DeleteFinalizerName)
	}))
}

// runsSince is when a machine began to run, the zero time if it does not.
func runsSince(machine *machinev1alpha1.Machine) time.Time {
	if machine.Status.CurrentStatus.Phase != machinev1alpha1.MachineRunning {
		return time.Time{}
	}
	return machine.Status.CurrentStatus.LastUpdateTime.Time
}
