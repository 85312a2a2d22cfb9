package app

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/appliance/neighbours"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/local/doctor"
)

// In tables red is what failed, yellow what goes on, sleeps or is due, and green what is well.

func tintOfPart(part component.Status) int {
	switch part.State {
	case component.Ready:
		if part.Warning != "" {
			return yellow
		}
		return green
	case component.Degraded, component.Backoff, component.Failed:
		return red
	}
	return yellow
}

func tintOfSeed(seed seedStatus) int {
	switch {
	case !seed.Ready && seed.knows(kindExtensions):
		return red
	case seed.Message != "" || !seed.Ready:
		return yellow
	}
	return green
}

func tintOfShoot(shoot shootStatus) int {
	operation := tintOfOperation(shoot)
	if operation == green && !shoot.Ready {
		return yellow
	}
	return operation
}

func tintOfOperation(shoot shootStatus) int {
	switch shoot.state {
	case gardencorev1beta1.LastOperationStateSucceeded:
		return green
	case gardencorev1beta1.LastOperationStateError, gardencorev1beta1.LastOperationStateFailed, gardencorev1beta1.LastOperationStateAborted:
		return red
	}
	return yellow
}

func tintOfLandscape(landscape neighbours.Landscape) int {
	switch {
	case landscape.Process != 0 && landscape.Problem == "":
		return green
	case landscape.Process == 0 && landscape.Problem != "":
		return red
	}
	return yellow
}

func tintOfFinding(finding doctor.Finding) int {
	switch finding.State {
	case doctor.OK:
		return green
	case doctor.Warning:
		return yellow
	}
	return red
}

func tintOfCondition(condition gardencorev1beta1.Condition) int {
	switch condition.Status {
	case gardencorev1beta1.ConditionTrue:
		return green
	case gardencorev1beta1.ConditionFalse:
		return red
	}
	return yellow
}

func tintOfEvent(event corev1.Event) int {
	if event.Type == corev1.EventTypeWarning {
		return yellow
	}
	return 0
}
