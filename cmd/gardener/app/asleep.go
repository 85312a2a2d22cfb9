package app

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/appliance/fault"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// asleep reports whether a shoot is hibernated and stays so. One that is waking up, or falls asleep, is not.
func asleep(shoot *gardencorev1beta1.Shoot) bool {
	last, hibernation := shoot.Status.LastOperation, shoot.Spec.Hibernation
	return shoot.Status.IsHibernated && hibernation != nil && ptr.Deref(hibernation.Enabled, false) &&
		last != nil && last.State == gardencorev1beta1.LastOperationStateSucceeded && shoot.Status.ObservedGeneration == shoot.Generation
}

// wakeUp is the command that wakes a shoot.
func wakeUp(namespace, name string) string {
	return fmt.Sprintf("gardener shoot wake %s/%s", namespace, name)
}

// sleeps is the error of commands that need a shoot that is awake.
func sleeps(namespace, name string) error {
	err := fmt.Errorf("shoot %s/%s is hibernated: it has no nodes, and its API server does not run", namespace, name)
	return &exitError{code: codeAttention, err: fault.New(fault.Asleep, err), hint: "wake it up with: " + wakeUp(namespace, name)}
}
