package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
)

// updatePeriod is the interval for asking whether a machine has been updated.
const updatePeriod = time.Second

// cordonedAnnotation is on nodes that an update in place has made unschedulable. How far the update is would not tell it: what was written last may
// come from an outdated machine.
const cordonedAnnotation = "node.machine.sapcloud.io/cordoned-for-update"

// candidate reports whether the machine is to be updated in place.
func candidate(machine *machinev1alpha1.Machine) bool {
	return machine.Annotations[machinev1alpha1.UpdateClassAnnotation] != ""
}

// selected reports whether it is to be updated now: its deployment says so, or a user says so at its node.
func selected(machine *machinev1alpha1.Machine, node *corev1.Node) bool {
	return machine.Labels[machinev1alpha1.SelectedForUpdateLabel] == "true" || node.Labels[machinev1alpha1.SelectedForUpdateLabel] == "true"
}

// begun reports whether the update goes on whatever the labels say.
func begun(machine *machinev1alpha1.Machine) bool {
	switch machine.Status.CurrentStatus.Phase {
	case machinev1alpha1.MachineInPlaceUpdating, machinev1alpha1.MachineInPlaceUpdateFailed, machinev1alpha1.MachineInPlaceUpdateSuccessful:
		return true
	}
	return false
}

// announce makes the node show whether its machine waits for an update in place.
func (r *Reconciler) announce(ctx context.Context, machine *machinev1alpha1.Machine, node *corev1.Node) error {
	if candidate(machine) {
		return r.writer().progress(ctx, node, machinev1alpha1.ReasonCandidateForUpdate, "The machine waits for its update in place.", func() {
			metav1.SetMetaDataLabel(&node.ObjectMeta, machinev1alpha1.CandidateForUpdateLabel, "true")
		})
	}
	if node.Labels[machinev1alpha1.CandidateForUpdateLabel] == "" {
		return nil
	}
	return r.writer().release(ctx, node)
}

// updateInPlace drains the node, has its machine updated to another class, and makes the node schedulable again. The deployment then
// moves the machine to the MachineSet of that class.
//
//	candidate ── selected ──► InPlaceUpdating ── updated ──► InPlaceUpdateSuccessful ── moved ──► Running
//	                                  └── timeout, failure ──► InPlaceUpdateFailed ── result removed ──► InPlaceUpdating
func (r *Reconciler) updateInPlace(ctx context.Context, cached *machinev1alpha1.Machine, known *corev1.Node) (reconcile.Result, error) {
	machine, node := &machinev1alpha1.Machine{}, &corev1.Node{} // from the API servers: with outdated ones, an update would begin again after its end
	if err := r.Reader.Get(ctx, client.ObjectKeyFromObject(cached), machine); err != nil || !candidate(machine) {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.TargetReader.Get(ctx, client.ObjectKeyFromObject(known), node); err != nil {
		return reconcile.Result{RequeueAfter: updatePeriod}, client.IgnoreNotFound(err)
	}
	wanted := machine.Annotations[machinev1alpha1.UpdateClassAnnotation]
	if machine.Annotations[machinev1alpha1.UpdatedClassAnnotation] == wanted {
		if err := r.writer().release(ctx, node); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Result{}, r.saveStatus(ctx, machine, updating(machinev1alpha1.MachineInPlaceUpdateSuccessful, machinev1alpha1.MachineStateSuccessful, "The machine has been updated in place."))
	}
	if reason := failureOf(machine, node); reason != "" {
		return reconcile.Result{}, r.failUpdate(ctx, machine, node, reason)
	}
	if machine.Status.CurrentStatus.Phase != machinev1alpha1.MachineInPlaceUpdating {
		err := r.saveStatus(ctx, machine, updating(machinev1alpha1.MachineInPlaceUpdating, machinev1alpha1.MachineStateProcessing, "The node is being drained."))
		if err != nil {
			return reconcile.Result{}, err
		}
	}
	since := r.Clock.Since(machine.Status.CurrentStatus.LastUpdateTime.Time)
	settings := settingsOf(machine, r.Settings)
	if since > settings.Drain+settings.InPlaceUpdate {
		return reconcile.Result{}, r.failUpdate(ctx, machine, node, fmt.Sprintf("the update took more than %s: %s", settings.InPlaceUpdate, machine.Status.LastOperation.Description))
	}
	if ready, err := r.emptied(ctx, node, since < settings.Drain); err != nil || !ready {
		return reconcile.Result{RequeueAfter: updatePeriod}, err
	}
	done, err := r.bringUp(ctx, machine, node, wanted)
	if err != nil {
		return reconcile.Result{RequeueAfter: r.Settings.Retry}, r.saveStatus(ctx, machine, updating(machinev1alpha1.MachineInPlaceUpdating, machinev1alpha1.MachineStateFailed, err.Error()))
	}
	if !done {
		return reconcile.Result{RequeueAfter: updatePeriod}, r.saveStatus(ctx, machine, updating(machinev1alpha1.MachineInPlaceUpdating, machinev1alpha1.MachineStateProcessing, "The machine is being updated in place."))
	}
	log.FromContext(ctx).Info("Updated machine in place", "class", wanted)
	return reconcile.Result{}, patch.Metadata(ctx, r.Client, machine, func() { // which brings the machine here again
		metav1.SetMetaDataAnnotation(&machine.ObjectMeta, machinev1alpha1.UpdatedClassAnnotation, wanted)
	})
}

// failureOf returns why the update has failed; empty if it has not, or if it is to be tried again.
func failureOf(machine *machinev1alpha1.Machine, node *corev1.Node) string {
	if node.Labels[machinev1alpha1.UpdateResultLabel] != machinev1alpha1.UpdateFailed {
		return ""
	}
	if reason := node.Annotations[machinev1alpha1.UpdateFailedReasonAnnotation]; reason != "" {
		return reason
	}
	return machine.Status.LastOperation.Description
}

func (r *Reconciler) failUpdate(ctx context.Context, machine *machinev1alpha1.Machine, node *corev1.Node, reason string) error {
	err := r.writer().progress(ctx, node, machinev1alpha1.ReasonUpdateFailed, reason, func() {
		metav1.SetMetaDataLabel(&node.ObjectMeta, machinev1alpha1.UpdateResultLabel, machinev1alpha1.UpdateFailed)
		metav1.SetMetaDataAnnotation(&node.ObjectMeta, machinev1alpha1.UpdateFailedReasonAnnotation, reason)
	})
	description := fmt.Sprintf("The update in place has failed: %s. Remove the label %s of the node to try again.", reason, machinev1alpha1.UpdateResultLabel)
	return errors.Join(err, r.saveStatus(ctx, machine, updating(machinev1alpha1.MachineInPlaceUpdateFailed, machinev1alpha1.MachineStateFailed, description)))
}

// emptied drains the node as long as there is time for it, and reports whether the machine can be updated.
func (r *Reconciler) emptied(ctx context.Context, node *corev1.Node, drain bool) (bool, error) {
	switch reasonOf(node) {
	case machinev1alpha1.ReasonDrainSuccessful, machinev1alpha1.ReasonReadyForUpdate:
		return true, nil
	}
	err := r.writer().progress(ctx, node, machinev1alpha1.ReasonSelectedForUpdate, "The node is being drained.", func() {
		if !node.Spec.Unschedulable {
			metav1.SetMetaDataAnnotation(&node.ObjectMeta, cordonedAnnotation, "true")
		}
	})
	if err != nil {
		return false, err
	}
	left, err := r.drain(ctx, node)
	if err != nil || left > 0 && drain {
		return false, err
	}
	return true, r.writer().progress(ctx, node, machinev1alpha1.ReasonDrainSuccessful, "The node has been drained.", nil)
}

// bringUp has the driver update the machine, or waits until the machine reports that it has updated itself.
func (r *Reconciler) bringUp(ctx context.Context, machine *machinev1alpha1.Machine, node *corev1.Node, class string) (bool, error) {
	if err := r.writer().progress(ctx, node, machinev1alpha1.ReasonReadyForUpdate, "The machine can be updated.", nil); err != nil {
		return false, err
	}
	if updater, ok := r.Driver.(contractmachine.Updater); ok {
		request, err := Request(ctx, r.Client, r.Reader, machine, types.NamespacedName{Namespace: machine.Namespace, Name: class})
		if err != nil {
			return false, err
		}
		if done, err := updater.Update(ctx, request); !errors.Is(err, contractmachine.ErrSelf) {
			return done && ailment(node, nil) == "", err
		}
	}
	return node.Labels[machinev1alpha1.UpdateResultLabel] == machinev1alpha1.UpdateSuccessful, nil
}

// writer writes on Nodes how far their updates are.
type writer struct {
	client client.Client
	clock  clock.PassiveClock
}

func (r *Reconciler) writer() writer { return writer{client: r.Target, clock: r.Clock} }

// release makes the node an ordinary one again.
func (w writer) release(ctx context.Context, node *corev1.Node) error {
	drained := reasonOf(node) != "" && reasonOf(node) != machinev1alpha1.ReasonCandidateForUpdate && reasonOf(node) != machinev1alpha1.ReasonUpdateSuccessful
	return w.progress(ctx, node, machinev1alpha1.ReasonUpdateSuccessful, "The machine is up to date.", func() {
		if drained || node.Annotations[cordonedAnnotation] != "" {
			node.Spec.Unschedulable = false
		}
		for _, key := range []string{machinev1alpha1.CandidateForUpdateLabel, machinev1alpha1.SelectedForUpdateLabel, machinev1alpha1.UpdateResultLabel} {
			delete(node.Labels, key)
		}
		delete(node.Annotations, machinev1alpha1.UpdateFailedReasonAnnotation)
		delete(node.Annotations, cordonedAnnotation)
	})
}

// progress changes the node and then writes how far the update is.
func (w writer) progress(ctx context.Context, node *corev1.Node, reason, message string, change func()) error {
	if change != nil {
		if err := patch.Metadata(ctx, w.client, node, change); err != nil {
			return client.IgnoreNotFound(err)
		}
	}
	before := node.DeepCopy()
	now := metav1.NewTime(w.clock.Now())
	next := corev1.NodeCondition{Type: machinev1alpha1.NodeInPlaceUpdate, Status: corev1.ConditionTrue, Reason: reason, Message: message, LastHeartbeatTime: now, LastTransitionTime: now}
	if reason == machinev1alpha1.ReasonUpdateSuccessful {
		next.Status = corev1.ConditionFalse
	}
	i := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == next.Type })
	switch {
	case i < 0:
		node.Status.Conditions = append(node.Status.Conditions, next)
	case node.Status.Conditions[i].Reason == reason && node.Status.Conditions[i].Message == message:
		return nil
	default:
		node.Status.Conditions[i] = next
	}
	if err := w.client.Status().Patch(ctx, node, client.StrategicMergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write condition %s of node %q: %w", next.Type, node.Name, err)
	}
	return nil
}

// reasonOf is how far the update of a node is.
func reasonOf(node *corev1.Node) string {
	for _, condition := range node.Status.Conditions {
		if condition.Type == machinev1alpha1.NodeInPlaceUpdate {
			return condition.Reason
		}
	}
	return ""
}

func updating(phase machinev1alpha1.MachinePhase, state machinev1alpha1.MachineState, description string) verdict {
	return verdict{phase: phase, operation: machinev1alpha1.MachineOperationInPlaceUpdate, state: state, description: description, timeout: phase == machinev1alpha1.MachineInPlaceUpdating}
}
