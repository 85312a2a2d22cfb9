package deployment

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

func updatesInPlace(spec *machinev1alpha1.MachineDeploymentSpec) bool {
	return spec.Strategy.Type == machinev1alpha1.InPlaceUpdateMachineDeploymentStrategyType
}

// inPlace reports whether the machines of old sets are updated and move to the current set. A paused deployment only changes sizes.
func (s *scope) inPlace() bool {
	return s.deployment.DeletionTimestamp == nil && updatesInPlace(&s.deployment.Spec) && !s.deployment.Spec.Paused
}

// loadMachines reads the machines of the sets.
func (r *Reconciler) loadMachines(ctx context.Context, s *scope) error {
	list := &machinev1alpha1.MachineList{}
	if err := r.Client.List(ctx, list, client.InNamespace(s.deployment.Namespace)); err != nil {
		return fmt.Errorf("list Machines: %w", err)
	}
	s.machines = map[string][]*machinev1alpha1.Machine{}
	for i := range list.Items {
		machine := &list.Items[i]
		owner := metav1.GetControllerOf(machine)
		if owner == nil || machine.DeletionTimestamp != nil || machine.Status.CurrentStatus.Phase == machinev1alpha1.MachineFailed {
			continue
		}
		for _, set := range s.sets() {
			if set.UID == owner.UID {
				s.machines[set.Name] = append(s.machines[set.Name], machine)
			}
		}
	}
	for _, machines := range s.machines {
		slices.SortFunc(machines, func(a, b *machinev1alpha1.Machine) int {
			return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
		})
	}
	return nil
}

// planInPlace returns how many machines each set should have now. An old set keeps its machines until they have moved; only a smaller
// deployment takes some away. The current set gets the rest, those that are about to move among them.
func planInPlace(s *scope) map[string]int32 {
	plan, stay := map[string]int32{}, int32(0)
	desired := s.deployment.Spec.Replicas
	for _, set := range s.old {
		staying := int32(0)
		for _, machine := range s.machines[set.Name] {
			if !s.moves(machine) {
				staying++
			}
		}
		less := min(max(stay+staying-desired, 0), staying)
		plan[set.Name] = int32(len(s.machines[set.Name])) - less
		stay += staying - less
	}
	if s.current != nil {
		plan[s.current.Name] = max(desired-stay, 0)
	}
	return plan
}

// moves reports whether a machine of an old set has been updated to the current template.
func (s *scope) moves(machine *machinev1alpha1.Machine) bool {
	class := s.deployment.Spec.Template.Spec.Class.Name
	return s.current != nil && machine.Annotations[machinev1alpha1.UpdateSetAnnotation] == s.current.Name &&
		machine.Annotations[machinev1alpha1.UpdateClassAnnotation] == class && machine.Annotations[machinev1alpha1.UpdatedClassAnnotation] == class
}

// markSuccession tells an old set to make no machines, and the current one that it may.
func (s *scope) markSuccession(set *machinev1alpha1.MachineSet) {
	if s.inPlace() && s.current != nil && set != s.current {
		metav1.SetMetaDataAnnotation(&set.ObjectMeta, machinev1alpha1.SucceededByAnnotation, s.current.Name)
		return
	}
	delete(set.Annotations, machinev1alpha1.SucceededByAnnotation)
}

// moveUpdated makes the machines that have been updated machines of the current set.
func (r *Reconciler) moveUpdated(ctx context.Context, s *scope) error {
	for _, set := range s.sets() {
		var stay []*machinev1alpha1.Machine
		for _, machine := range s.machines[set.Name] {
			if !s.moves(machine) {
				stay = append(stay, machine)
				continue
			}
			if err := patch.Metadata(ctx, r.Client, machine, func() { s.adopt(machine) }); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("move Machine %q: %w", machine.Name, err)
			}
			s.moved++
		}
		s.machines[set.Name] = stay
	}
	return nil
}

func (s *scope) adopt(machine *machinev1alpha1.Machine) {
	template := s.current.Spec.Template.DeepCopy()
	machine.Labels = mergedLabels(machine.Labels, template.Labels)
	machine.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(s.current, machinev1alpha1.SchemeGroupVersion.WithKind("MachineSet"))}
	machine.Spec.Class = template.Spec.Class
	machine.Spec.NodeTemplateSpec = template.Spec.NodeTemplateSpec
	machine.Spec.MachineConfiguration = template.Spec.MachineConfiguration
	unmark(machine)
}

func mergedLabels(have, want map[string]string) map[string]string {
	out := maps.Clone(have)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, want)
	return out
}

func unmark(machine *machinev1alpha1.Machine) {
	delete(machine.Labels, machinev1alpha1.CandidateForUpdateLabel)
	delete(machine.Labels, machinev1alpha1.SelectedForUpdateLabel)
	for _, key := range []string{machinev1alpha1.UpdateClassAnnotation, machinev1alpha1.UpdatedClassAnnotation, machinev1alpha1.UpdateSetAnnotation} {
		delete(machine.Annotations, key)
	}
}

// markCandidates tells the machines of old sets what they are to become, and picks those that are updated now unless a user does.
func (r *Reconciler) markCandidates(ctx context.Context, s *scope) error {
	if s.current == nil {
		return nil
	}
	_, budget := bounds(&s.deployment.Spec)
	budget -= s.moved // they have yet to be judged
	for _, set := range s.sets() {
		for _, machine := range s.machines[set.Name] {
			if busy(machine) {
				budget--
			}
		}
	}
	automatic := s.deployment.Spec.Strategy.InPlaceUpdate == nil || s.deployment.Spec.Strategy.InPlaceUpdate.OrchestrationType != machinev1alpha1.OrchestrationTypeManual
	for _, set := range s.old {
		for _, machine := range s.machines[set.Name] {
			if s.moves(machine) {
				continue
			}
			pick := automatic && !busy(machine) && budget > 0
			if pick {
				budget--
			}
			if err := r.mark(ctx, s, machine, pick); err != nil {
				return err
			}
		}
	}
	for _, machine := range s.machines[s.current.Name] {
		if err := r.unmarkCurrent(ctx, s, machine); err != nil {
			return err
		}
	}
	return nil
}

// busy reports whether a machine is being updated, or is not available for another reason.
func busy(machine *machinev1alpha1.Machine) bool {
	return machine.Labels[machinev1alpha1.SelectedForUpdateLabel] == "true" || machine.Status.CurrentStatus.Phase != machinev1alpha1.MachineRunning
}

func (r *Reconciler) mark(ctx context.Context, s *scope, machine *machinev1alpha1.Machine, pick bool) error {
	err := patch.Metadata(ctx, r.Client, machine, func() {
		metav1.SetMetaDataLabel(&machine.ObjectMeta, machinev1alpha1.CandidateForUpdateLabel, "true")
		if pick {
			metav1.SetMetaDataLabel(&machine.ObjectMeta, machinev1alpha1.SelectedForUpdateLabel, "true")
		}
		metav1.SetMetaDataAnnotation(&machine.ObjectMeta, machinev1alpha1.UpdateClassAnnotation, s.deployment.Spec.Template.Spec.Class.Name)
		metav1.SetMetaDataAnnotation(&machine.ObjectMeta, machinev1alpha1.UpdateSetAnnotation, s.current.Name)
	})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("mark Machine %q for its update: %w", machine.Name, err)
	}
	return nil
}

// unmarkCurrent takes the mark off a machine whose deployment went back to the template that the machine was made from. A machine whose
// update has begun is updated back to its own class.
func (r *Reconciler) unmarkCurrent(ctx context.Context, s *scope, machine *machinev1alpha1.Machine) error {
	wanted := machine.Annotations[machinev1alpha1.UpdateClassAnnotation]
	if wanted == "" {
		return nil
	}
	phase := machine.Status.CurrentStatus.Phase
	begun := phase == machinev1alpha1.MachineInPlaceUpdating || phase == machinev1alpha1.MachineInPlaceUpdateFailed || phase == machinev1alpha1.MachineInPlaceUpdateSuccessful
	if begun {
		return r.mark(ctx, s, machine, true)
	}
	if err := patch.Metadata(ctx, r.Client, machine, func() { unmark(machine) }); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("take the mark off Machine %q: %w", machine.Name, err)
	}
	return nil
}

// deploymentOf finds the deployment of a machine.
func (r *Reconciler) deploymentOf(ctx context.Context, object client.Object) []reconcile.Request {
	owner := metav1.GetControllerOf(object)
	if owner == nil {
		return nil
	}
	set := &machinev1alpha1.MachineSet{}
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: object.GetNamespace(), Name: owner.Name}, set); err != nil {
		return nil // without a set there is nothing to move
	}
	if owner = metav1.GetControllerOf(set); owner == nil {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: object.GetNamespace(), Name: owner.Name}}}
}

// updated passes machines that are marked for an update. What else happens to machines reaches the deployment by their set.
func updated() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(object client.Object) bool {
		return object.GetAnnotations()[machinev1alpha1.UpdateClassAnnotation] != ""
	})
}
