package lifecycle

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
)

// drainable is how long a node may be unready and still be drained. A dead node has no kubelet that could end its
// pods.
const drainable = 5 * time.Minute

// delete drains the node, removes the machine and the node, and then removes the finalizer of the Machine.
func (r *Reconciler) delete(ctx context.Context, machine *machinev1alpha1.Machine) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(machine, machinev1alpha1.FinalizerName) {
		return reconcile.Result{}, nil
	}
	node, err := r.node(ctx, machine)
	if err != nil {
		return reconcile.Result{}, err
	}
	if r.drains(ctx, machine, node) {
		if err := r.saveStatus(ctx, machine, deleting(machinev1alpha1.MachineOperationDrainNode, "The node is being drained.")); err != nil {
			return reconcile.Result{}, err
		}
		left, err := r.drain(ctx, node)
		if err != nil || left > 0 {
			return reconcile.Result{RequeueAfter: r.drainPeriod(machine)}, err
		}
	}
	if err := r.saveStatus(ctx, machine, deleting(machinev1alpha1.MachineOperationDelete, "The machine is being deleted.")); err != nil {
		return reconcile.Result{}, err
	}
	if err := r.deleteInstance(ctx, machine); err != nil {
		code := contractmachine.CodeOf(err)
		log.FromContext(ctx).Error(err, "Could not delete machine", "code", code)
		said := deleting(machinev1alpha1.MachineOperationDelete, err.Error())
		said.state, said.code = machinev1alpha1.MachineStateFailed, string(code)
		return reconcile.Result{RequeueAfter: r.retryAfter(code)}, r.saveStatus(ctx, machine, said)
	}
	if node != nil {
		if err := r.Target.Delete(ctx, node); client.IgnoreNotFound(err) != nil {
			return reconcile.Result{}, fmt.Errorf("delete node %q: %w", node.Name, err)
		}
	}
	r.seen.Delete(machine.UID)
	return reconcile.Result{}, client.IgnoreNotFound(patch.Metadata(ctx, r.Client, machine, func() {
		controllerutil.RemoveFinalizer(machine, machinev1alpha1.FinalizerName)
	}))
}

func (r *Reconciler) deleteInstance(ctx context.Context, machine *machinev1alpha1.Machine) error {
	request, err := r.request(ctx, machine)
	if err != nil {
		return err
	}
	if err := r.Driver.Delete(ctx, request); err != nil && !contractmachine.IsNotFound(err) {
		return fmt.Errorf("delete machine at the provider: %w", err)
	}
	return nil
}

func deleting(operation machinev1alpha1.MachineOperationType, description string) verdict {
	return verdict{
		phase: machinev1alpha1.MachineTerminating, operation: operation, state: machinev1alpha1.MachineStateProcessing, description: description,
	}
}

// drains reports whether there is a node that should be drained, or draining should continue, before the machine is removed. Nothing can
// end the pods of a machine that is gone.
func (r *Reconciler) drains(ctx context.Context, machine *machinev1alpha1.Machine, node *corev1.Node) bool {
	if node == nil || machine.Labels[machinev1alpha1.ForceDeletionLabelKey] == machinev1alpha1.ForceDeletionLabelValue {
		return false
	}
	if r.Clock.Since(machine.DeletionTimestamp.Time) > settingsOf(machine, r.Settings).Drain {
		return false
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status != corev1.ConditionTrue {
			return r.Clock.Since(condition.LastTransitionTime.Time) < drainable && !r.gone(ctx, machine)
		}
	}
	return true
}

// gone reports whether the machine is known to be gone.
func (r *Reconciler) gone(ctx context.Context, machine *machinev1alpha1.Machine) bool {
	request, err := r.request(ctx, machine)
	if err == nil {
		_, err = r.Driver.Status(ctx, request)
	}
	if err != nil && !contractmachine.IsNotFound(err) {
		log.FromContext(ctx).Error(err, "Could not ask whether the machine is still there, draining its node")
		return false
	}
	return err != nil
}

// drainPeriod is the interval for counting the pods. It is short at first, because most nodes are drained in
// seconds.
func (r *Reconciler) drainPeriod(machine *machinev1alpha1.Machine) time.Duration {
	if r.Clock.Since(machine.DeletionTimestamp.Time) < 30*time.Second {
		return time.Second
	}
	return 5 * time.Second
}
