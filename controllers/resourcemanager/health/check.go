// Package health judges objects by their status: are they healthy, and are they still rolling out?
//
// It only looks at the given object and reaches no cluster. Objects of kinds without a rule are healthy as soon as they
// exist.
package health

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// rules holds one rule per kind. A new kind needs only a line here and a function.
var rules = map[schema.GroupKind]func(*unstructured.Unstructured) error{
	{Group: "apps", Kind: "Deployment"}:                               rule(Deployment),
	{Group: "apps", Kind: "StatefulSet"}:                              rule(StatefulSet),
	{Group: "apps", Kind: "DaemonSet"}:                                rule(DaemonSet),
	{Group: "apps", Kind: "ReplicaSet"}:                               rule(ReplicaSet),
	{Group: "batch", Kind: "Job"}:                                     rule(Job),
	{Kind: "ReplicationController"}:                                   rule(ReplicationController),
	{Kind: "Pod"}:                                                     rule(Pod),
	{Kind: "Service"}:                                                 rule(Service),
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: rule(CustomResourceDefinition),
	{Group: "apiregistration.k8s.io", Kind: "APIService"}:             rule(APIService),
	{Group: "resources.gardener.cloud", Kind: "ManagedResource"}:      ManagedResource,
	{Group: "druid.gardener.cloud", Kind: "Etcd"}:                     Etcd,
}

// Check returns nil when the object is healthy, else an error that says what is wrong with it.
func Check(object *unstructured.Unstructured) error {
	kind := object.GroupVersionKind().GroupKind()
	if isExtension(kind) {
		return Extension(object)
	}
	check, found := rules[kind]
	if !found {
		return nil
	}
	return check(object)
}

// rule adapts a function over a typed object to unstructured objects.
func rule[T any](check func(*T) error) func(*unstructured.Unstructured) error {
	return func(object *unstructured.Unstructured) error {
		typed := new(T)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed); err != nil {
			return fmt.Errorf("convert %s: %w", object.GetKind(), err)
		}
		return check(typed)
	}
}

// Pod is healthy when it runs and is ready, or has succeeded.
func Pod(pod *corev1.Pod) error {
	switch pod.Status.Phase {
	case corev1.PodSucceeded:
		return nil
	case corev1.PodRunning:
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodReady && condition.Status != corev1.ConditionTrue {
				return fmt.Errorf("pod is not ready: %s", condition.Message)
			}
		}
		return nil
	default:
		return fmt.Errorf("pod is in phase %q", pod.Status.Phase)
	}
}

// Service is healthy unless it is waiting for the address of its load balancer.
func Service(service *corev1.Service) error {
	if service.Spec.Type == corev1.ServiceTypeLoadBalancer && len(service.Status.LoadBalancer.Ingress) == 0 {
		return fmt.Errorf("service has no load balancer address yet")
	}
	return nil
}

// CustomResourceDefinition is healthy when its names are accepted and it is served.
func CustomResourceDefinition(crd *apiextensionsv1.CustomResourceDefinition) error {
	for _, wanted := range []apiextensionsv1.CustomResourceDefinitionConditionType{apiextensionsv1.NamesAccepted, apiextensionsv1.Established} {
		if err := crdCondition(crd, wanted); err != nil {
			return err
		}
	}
	return nil
}

func crdCondition(crd *apiextensionsv1.CustomResourceDefinition, wanted apiextensionsv1.CustomResourceDefinitionConditionType) error {
	for _, condition := range crd.Status.Conditions {
		if condition.Type != wanted {
			continue
		}
		if condition.Status != apiextensionsv1.ConditionTrue {
			return fmt.Errorf("condition %q is %s: %s", wanted, condition.Status, condition.Message)
		}
		return nil
	}
	return fmt.Errorf("condition %q is missing", wanted)
}

// APIService is healthy when its backend is available.
func APIService(service *apiregistrationv1.APIService) error {
	for _, condition := range service.Status.Conditions {
		if condition.Type != apiregistrationv1.Available {
			continue
		}
		if condition.Status != apiregistrationv1.ConditionTrue {
			return fmt.Errorf("condition %q is %s: %s", condition.Type, condition.Status, condition.Message)
		}
		return nil
	}
	return fmt.Errorf("condition %q is missing", apiregistrationv1.Available)
}

// Job is healthy unless it has failed.
func Job(job *batchv1.Job) error {
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue {
			return fmt.Errorf("job has failed: %s", condition.Message)
		}
	}
	return nil
}

// ReplicaSet is healthy when all replicas are ready and its status is current.
func ReplicaSet(set *appsv1.ReplicaSet) error {
	if err := current(set.Generation, set.Status.ObservedGeneration); err != nil {
		return err
	}
	return enough("ready", set.Status.ReadyReplicas, replicas(set.Spec.Replicas))
}

// ReplicationController is healthy when all replicas are ready and its status is current.
func ReplicationController(controller *corev1.ReplicationController) error {
	if err := current(controller.Generation, controller.Status.ObservedGeneration); err != nil {
		return err
	}
	return enough("ready", controller.Status.ReadyReplicas, replicas(controller.Spec.Replicas))
}

// ManagedResource is healthy when its conditions say so for the current generation.
func ManagedResource(resource *unstructured.Unstructured) error {
	observed, _, _ := unstructured.NestedInt64(resource.Object, "status", "observedGeneration")
	if err := current(resource.GetGeneration(), observed); err != nil {
		return err
	}
	conditions, _, _ := unstructured.NestedSlice(resource.Object, "status", "conditions")
	for _, wanted := range []string{"ResourcesApplied", "ResourcesHealthy"} {
		if status, message := conditionOf(conditions, wanted); status != "True" {
			return fmt.Errorf("condition %q is %q: %s", wanted, status, message)
		}
	}
	return nil
}

func conditionOf(conditions []any, wanted string) (status, message string) {
	for _, item := range conditions {
		condition, ok := item.(map[string]any)
		if ok && condition["type"] == wanted {
			status, _ = condition["status"].(string)
			message, _ = condition["message"].(string)
		}
	}
	return status, message
}
