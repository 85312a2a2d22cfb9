package lifecycle

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
)

// statusPeriod is the interval for asking the driver about a machine with an unhealthy node.
const statusPeriod = 10 * time.Second

// watch monitors a machine that has been made.
func (r *Reconciler) watch(ctx context.Context, machine *machinev1alpha1.Machine) (reconcile.Result, error) {
	node, err := r.node(ctx, machine)
	if err != nil {
		return reconcile.Result{}, err
	}
	if node != nil && node.Annotations[machinev1alpha1.TriggerDeletionByMCM] == "true" {
		log.FromContext(ctx).Info("Deleting machine as its node asks for it", "node", node.Name)
		return reconcile.Result{}, client.IgnoreNotFound(r.Client.Delete(ctx, machine))
	}
	if node != nil && candidate(machine) && (selected(machine, node) || begun(machine)) {
		return r.updateInPlace(ctx, machine, node)
	}
	settings := settingsOf(machine, r.Settings)
	current := machine.Status.CurrentStatus
	f := facts{
		now: r.Clock.Now(), created: machine.CreationTimestamp.Time,
		phase: current.Phase, phaseSince: current.LastUpdateTime.Time,
		unhealthy: ailment(node, settings.NodeConditions),
		creation:  settings.Creation, health: settings.Health,
		healthTimeoutExists: machine.Spec.MachineConfiguration == nil || !ptr.Deref(machine.Spec.DisableHealthTimeout, false),
	}
	if f.gone, err = r.ensureRuns(ctx, machine, f); err != nil {
		return reconcile.Result{}, err
	}
	if node != nil {
		if err := r.applyTemplate(ctx, node, &machine.Spec.NodeTemplateSpec); err != nil {
			return reconcile.Result{}, err
		}
		if err := r.announce(ctx, machine, node); err != nil {
			return reconcile.Result{}, err
		}
	}
	verdict, again := judge(f)
	return reconcile.Result{RequeueAfter: again}, r.saveObservation(ctx, machine, node, verdict)
}

// ensureRuns starts a stopped machine, and reports whether the machine is gone. It asks the driver about unhealthy
// machines, and once about each machine that this process has not seen yet, because the machine may have stopped
// while no controller was running.
func (r *Reconciler) ensureRuns(ctx context.Context, machine *machinev1alpha1.Machine, f facts) (gone bool, err error) {
	waits := f.phase != machinev1alpha1.MachineRunning && f.phase != machinev1alpha1.MachineUnknown
	if _, seen := r.seen.Load(machine.UID); seen && (f.unhealthy == "" || waits) {
		return false, nil
	}
	request, err := r.request(ctx, machine)
	if err != nil {
		return false, err
	}
	instance, err := r.Driver.Status(ctx, request)
	if contractmachine.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask for the state of the machine: %w", err)
	}
	if instance.Stopped {
		log.FromContext(ctx).Info("Starting machine that has stopped")
		if err := r.Driver.Start(ctx, request); err != nil {
			return false, fmt.Errorf("start machine: %w", err)
		}
	}
	r.seen.Store(machine.UID, true)
	return false, nil
}

// saveObservation copies the node's conditions and addresses to the machine, and writes the verdict, if any.
func (r *Reconciler) saveObservation(ctx context.Context, machine *machinev1alpha1.Machine, node *corev1.Node, verdict *verdict) error {
	before := machine.DeepCopy()
	if node != nil {
		if !sameConditions(machine.Status.Conditions, node.Status.Conditions) {
			machine.Status.Conditions = node.Status.Conditions
		}
		machine.Status.Addresses = node.Status.Addresses
	}
	if verdict != nil {
		setVerdict(machine, *verdict, metav1.NewTime(r.Clock.Now()))
	}
	return patch.Status(ctx, r.Client, machine, before)
}

// saveStatus writes the verdict about the machine.
func (r *Reconciler) saveStatus(ctx context.Context, machine *machinev1alpha1.Machine, verdict verdict) error {
	before := machine.DeepCopy()
	setVerdict(machine, verdict, metav1.NewTime(r.Clock.Now()))
	return patch.Status(ctx, r.Client, machine, before)
}

// setVerdict changes each time only together with its value.
func setVerdict(machine *machinev1alpha1.Machine, verdict verdict, now metav1.Time) {
	current, last := &machine.Status.CurrentStatus, &machine.Status.LastOperation
	if current.Phase != verdict.phase {
		current.Phase, current.LastUpdateTime = verdict.phase, now
	}
	current.TimeoutActive = verdict.timeout
	next := machinev1alpha1.LastOperation{
		Type: verdict.operation, State: verdict.state, Description: verdict.description, ErrorCode: verdict.code, LastUpdateTime: last.LastUpdateTime,
	}
	if next != *last {
		next.LastUpdateTime = now
		*last = next
	}
}

// sameConditions compares everything except the heartbeats, which would cause a write per machine every few minutes.
func sameConditions(a, b []corev1.NodeCondition) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		x.LastHeartbeatTime, y.LastHeartbeatTime = metav1.Time{}, metav1.Time{}
		if x.Type != y.Type || x.Status != y.Status || x.Reason != y.Reason || x.Message != y.Message || !x.LastTransitionTime.Equal(&y.LastTransitionTime) {
			return false
		}
	}
	return true
}
