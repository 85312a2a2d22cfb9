package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// verdict is the result of judging a machine.
type verdict struct {
	phase       machinev1alpha1.MachinePhase
	operation   machinev1alpha1.MachineOperationType
	state       machinev1alpha1.MachineState
	description string
	code        string
	// timeout means that the phase ends by itself.
	timeout bool
}

// facts are everything that the phase of an existing machine depends on.
type facts struct {
	now, created, phaseSince time.Time
	phase                    machinev1alpha1.MachinePhase
	// unhealthy says what is wrong with the node, empty if nothing is.
	unhealthy string
	// gone means that the provider no longer has the machine.
	gone                bool
	creation, health    time.Duration
	healthTimeoutExists bool
}

// judge returns what to say next, nil to leave all as it is, and after how long to judge again, 0 for never.
//
//	Pending ── ready ──► Running ◄── ready ── Unknown
//	   │                    └── unhealthy ──────►│
//	   └─ creation timeout ──► Failed ◄── health timeout, gone
func judge(f facts) (*verdict, time.Duration) {
	switch f.phase {
	case machinev1alpha1.MachineFailed, machinev1alpha1.MachineTerminating:
		return nil, 0
	case machinev1alpha1.MachineRunning:
		return judgeRunning(f)
	case machinev1alpha1.MachineUnknown:
		return judgeUnknown(f)
	case machinev1alpha1.MachineInPlaceUpdating, machinev1alpha1.MachineInPlaceUpdateSuccessful, machinev1alpha1.MachineInPlaceUpdateFailed:
		return judgeUpdated(f)
	default:
		return judgePending(f)
	}
}

func judgePending(f facts) (*verdict, time.Duration) {
	if f.unhealthy == "" {
		return &verdict{
			phase: machinev1alpha1.MachineRunning, operation: machinev1alpha1.MachineOperationCreate, state: machinev1alpha1.MachineStateSuccessful,
			description: "The machine is a ready node.",
		}, 0
	}
	if left := f.created.Add(f.creation).Sub(f.now); left > 0 {
		if f.phase == machinev1alpha1.MachinePending {
			return nil, left
		}
		return &creating, left
	}
	return &verdict{
		phase: machinev1alpha1.MachineFailed, operation: machinev1alpha1.MachineOperationCreate, state: machinev1alpha1.MachineStateFailed,
		description: fmt.Sprintf("The machine did not become a ready node within %s: %s", f.creation, f.unhealthy),
	}, 0
}

// judgeUpdated judges a machine whose update in place is over.
func judgeUpdated(f facts) (*verdict, time.Duration) {
	if f.unhealthy == "" {
		return &verdict{
			phase: machinev1alpha1.MachineRunning, operation: machinev1alpha1.MachineOperationInPlaceUpdate, state: machinev1alpha1.MachineStateSuccessful,
			description: "The machine has been updated in place.",
		}, 0
	}
	return judgeRunning(f)
}

func judgeRunning(f facts) (*verdict, time.Duration) {
	if f.unhealthy == "" {
		return nil, 0
	}
	if f.gone {
		return failed("The machine does not exist any more."), 0
	}
	return &verdict{
		phase: machinev1alpha1.MachineUnknown, operation: machinev1alpha1.MachineOperationHealthCheck, state: machinev1alpha1.MachineStateProcessing,
		description: "The node is unhealthy: " + f.unhealthy, timeout: f.healthTimeoutExists,
	}, statusPeriod
}

func judgeUnknown(f facts) (*verdict, time.Duration) {
	left := f.phaseSince.Add(f.health).Sub(f.now)
	switch {
	case f.unhealthy == "":
		return &verdict{
			phase: machinev1alpha1.MachineRunning, operation: machinev1alpha1.MachineOperationHealthCheck, state: machinev1alpha1.MachineStateSuccessful,
			description: "The node is healthy again.",
		}, 0
	case f.gone:
		return failed("The machine does not exist any more."), 0
	case f.healthTimeoutExists && left <= 0:
		return failed(fmt.Sprintf("The node has been unhealthy for %s: %s", f.health, f.unhealthy)), 0
	case f.healthTimeoutExists:
		return nil, min(left, statusPeriod)
	default:
		return nil, statusPeriod
	}
}

func failed(description string) *verdict {
	return &verdict{
		phase: machinev1alpha1.MachineFailed, operation: machinev1alpha1.MachineOperationHealthCheck, state: machinev1alpha1.MachineStateFailed,
		description: description,
	}
}

// ailment says what is wrong with a node, which may be nil; empty if nothing is. Each listed condition is bad if
// True.
func ailment(node *corev1.Node, bad []string) string {
	if node == nil {
		return "there is no node"
	}
	var found []string
	ready := false
	for _, condition := range node.Status.Conditions {
		switch {
		case condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue:
			ready = true
		case condition.Type == corev1.NodeReady:
			found = append(found, strings.TrimSpace("not ready: "+condition.Message))
			ready = true // told already
		case condition.Status == corev1.ConditionTrue && slices.Contains(bad, string(condition.Type)):
			found = append(found, string(condition.Type))
		}
	}
	if !ready {
		found = append(found, "not ready")
	}
	return strings.Join(found, ", ")
}

// settingsOf returns the settings for a machine.
func settingsOf(machine *machinev1alpha1.Machine, defaults Settings) Settings {
	own := machine.Spec.MachineConfiguration
	if own == nil {
		return defaults
	}
	out := defaults
	if own.MachineCreationTimeout != nil {
		out.Creation = own.MachineCreationTimeout.Duration
	}
	if own.MachineHealthTimeout != nil {
		out.Health = own.MachineHealthTimeout.Duration
	}
	if own.MachineDrainTimeout != nil {
		out.Drain = own.MachineDrainTimeout.Duration
	}
	if own.MachineInPlaceUpdateTimeout != nil {
		out.InPlaceUpdate = own.MachineInPlaceUpdateTimeout.Duration
	}
	if own.NodeConditions != nil {
		out.NodeConditions = strings.Split(*own.NodeConditions, ",")
	}
	return out
}
