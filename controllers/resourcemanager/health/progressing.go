package health

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var rollouts = map[schema.GroupKind]func(*unstructured.Unstructured) error{
	{Group: "apps", Kind: "Deployment"}:  rule(deploymentRolledOut),
	{Group: "apps", Kind: "StatefulSet"}: rule(statefulSetRolledOut),
	{Group: "apps", Kind: "DaemonSet"}:   rule(daemonSetRolledOut),
}

// RolledOut returns nil when the object has been rolled out completely. Otherwise the error says what is still missing.
func RolledOut(object *unstructured.Unstructured) error {
	check, found := rollouts[object.GroupVersionKind().GroupKind()]
	if !found {
		return nil
	}
	return check(object)
}

func deploymentRolledOut(deployment *appsv1.Deployment) error {
	if err := current(deployment.Generation, deployment.Status.ObservedGeneration); err != nil {
		return err
	}
	if err := enough("updated", deployment.Status.UpdatedReplicas, replicas(deployment.Spec.Replicas)); err != nil {
		return err
	}
	return noOldPods(deployment.Status.Replicas, deployment.Status.UpdatedReplicas)
}

func statefulSetRolledOut(set *appsv1.StatefulSet) error {
	if err := current(set.Generation, set.Status.ObservedGeneration); err != nil {
		return err
	}
	return enough("updated", set.Status.UpdatedReplicas, replicas(set.Spec.Replicas))
}

func daemonSetRolledOut(set *appsv1.DaemonSet) error {
	if err := current(set.Generation, set.Status.ObservedGeneration); err != nil {
		return err
	}
	return enough("updated", set.Status.UpdatedNumberScheduled, set.Status.DesiredNumberScheduled)
}

func noOldPods(all, updated int32) error {
	if all > updated {
		return fmt.Errorf("%d old pods are still to be removed", all-updated)
	}
	return nil
}
