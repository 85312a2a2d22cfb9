package health

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Deployment is healthy when its status is current, all wanted replicas are updated and enough are available.
func Deployment(deployment *appsv1.Deployment) error {
	if err := current(deployment.Generation, deployment.Status.ObservedGeneration); err != nil {
		return err
	}
	for _, condition := range deployment.Status.Conditions {
		switch {
		case condition.Type == appsv1.DeploymentAvailable && condition.Status != corev1.ConditionTrue,
			condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue,
			condition.Type == appsv1.DeploymentProgressing && condition.Status == corev1.ConditionFalse:
			return fmt.Errorf("condition %q is %s: %s", condition.Type, condition.Status, condition.Message)
		}
	}
	wanted := replicas(deployment.Spec.Replicas)
	if wanted > 0 && !hasCondition(deployment, appsv1.DeploymentAvailable) {
		return fmt.Errorf("condition %q is missing", appsv1.DeploymentAvailable)
	}
	return enough("updated", deployment.Status.UpdatedReplicas, wanted)
}

// StatefulSet is healthy when its status is current and all wanted replicas are ready.
func StatefulSet(set *appsv1.StatefulSet) error {
	if err := current(set.Generation, set.Status.ObservedGeneration); err != nil {
		return err
	}
	return enough("ready", set.Status.ReadyReplicas, replicas(set.Spec.Replicas))
}

// DaemonSet is healthy when its status is current and no more pods are unavailable than a rolling update may take away.
func DaemonSet(set *appsv1.DaemonSet) error {
	if err := current(set.Generation, set.Status.ObservedGeneration); err != nil {
		return err
	}
	if set.Status.CurrentNumberScheduled < set.Status.DesiredNumberScheduled {
		return fmt.Errorf("%d of %d pods are scheduled", set.Status.CurrentNumberScheduled, set.Status.DesiredNumberScheduled)
	}
	if allowed := maxUnavailable(set); set.Status.NumberUnavailable > allowed {
		return fmt.Errorf("%d pods are unavailable, %d may be", set.Status.NumberUnavailable, allowed)
	}
	return nil
}

// maxUnavailable counts only during a rolling update. Otherwise every pod must be available.
func maxUnavailable(set *appsv1.DaemonSet) int32 {
	rolling := set.Status.UpdatedNumberScheduled < set.Status.DesiredNumberScheduled
	if !rolling || set.Spec.UpdateStrategy.RollingUpdate == nil || set.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable == nil {
		return 0
	}
	allowed, err := intstr.GetScaledValueFromIntOrPercent(set.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable, int(set.Status.DesiredNumberScheduled), true)
	if err != nil {
		return 0
	}
	return int32(allowed)
}

func hasCondition(deployment *appsv1.Deployment, wanted appsv1.DeploymentConditionType) bool {
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == wanted {
			return true
		}
	}
	return false
}

func current(generation, observed int64) error {
	if observed < generation {
		return fmt.Errorf("status is outdated (observed generation %d of %d)", observed, generation)
	}
	return nil
}

func enough(what string, have, want int32) error {
	if have < want {
		return fmt.Errorf("%d of %d replicas are %s", have, want, what)
	}
	return nil
}

// replicas returns the default of the API for workloads without a number of replicas.
func replicas(number *int32) int32 {
	if number == nil {
		return 1
	}
	return *number
}
