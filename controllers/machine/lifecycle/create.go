package lifecycle

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
)

// create makes the driver create the machine and records its names. The names are written last: a machine without
// them is created again, which the driver allows.
func (r *Reconciler) create(ctx context.Context, machine *machinev1alpha1.Machine) (reconcile.Result, error) {
	timeout := settingsOf(machine, r.Settings).Creation
	if r.Clock.Since(machine.CreationTimestamp.Time) > timeout {
		return reconcile.Result{}, r.saveStatus(ctx, machine, verdict{
			phase: machinev1alpha1.MachineFailed, operation: machinev1alpha1.MachineOperationCreate, state: machinev1alpha1.MachineStateFailed,
			description: fmt.Sprintf("The machine was not created within %s: %s", timeout, machine.Status.LastOperation.Description),
			code:        machine.Status.LastOperation.ErrorCode,
		})
	}
	if machine.Status.CurrentStatus.Phase == "" {
		if err := r.saveStatus(ctx, machine, creating); err != nil {
			return reconcile.Result{}, err
		}
	}
	request, err := r.request(ctx, machine)
	if err != nil {
		return r.createFailed(ctx, machine, err)
	}
	log.FromContext(ctx).Info("Creating machine")
	instance, err := r.Driver.Create(ctx, request)
	if err != nil {
		return r.createFailed(ctx, machine, err)
	}
	r.seen.Store(machine.UID, true)

	before := machine.DeepCopy()
	machine.Status.Addresses, machine.Status.LastKnownState = instance.Addresses, instance.LastKnownState
	if machine.Status.CurrentStatus.Phase != machinev1alpha1.MachinePending {
		setVerdict(machine, creating, metav1.NewTime(r.Clock.Now()))
	}
	if err := patch.Status(ctx, r.Client, machine, before); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, patch.Metadata(ctx, r.Client, machine, func() {
		metav1.SetMetaDataLabel(&machine.ObjectMeta, machinev1alpha1.NodeLabelKey, instance.NodeName)
		machine.Spec.ProviderID = instance.ProviderID
	})
}

var creating = verdict{
	phase: machinev1alpha1.MachinePending, operation: machinev1alpha1.MachineOperationCreate, state: machinev1alpha1.MachineStateProcessing,
	description: "The machine is being created and has yet to become a node.", timeout: true,
}

func (r *Reconciler) createFailed(ctx context.Context, machine *machinev1alpha1.Machine, failure error) (reconcile.Result, error) {
	code := contractmachine.CodeOf(failure)
	log.FromContext(ctx).Error(failure, "Could not create machine", "code", code)
	return reconcile.Result{RequeueAfter: r.retryAfter(code)}, r.saveStatus(ctx, machine, verdict{
		phase: machinev1alpha1.MachineCrashLoopBackOff, operation: machinev1alpha1.MachineOperationCreate, state: machinev1alpha1.MachineStateFailed,
		description: failure.Error(), code: string(code), timeout: true,
	})
}

// retryAfter is the pause after an error of the driver. It is longer if a person has to change something.
func (r *Reconciler) retryAfter(code contractmachine.Code) time.Duration {
	switch code {
	case contractmachine.ResourceExhausted:
		return 3 * time.Minute
	case contractmachine.InvalidArgument, contractmachine.Unauthenticated, contractmachine.PermissionDenied:
		return 30 * time.Second
	default:
		return r.Settings.Retry
	}
}
