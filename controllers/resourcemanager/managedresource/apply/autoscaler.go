package apply

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
)

// autoscaler is a kind whose objects change workloads.
type autoscaler struct {
	kind   schema.GroupVersionKind
	target string // field of the spec that refers to the workload
	scales manifest.Scaled
}

var autoscalers = []autoscaler{
	{schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}, "scaleTargetRef", manifest.Scaled{Replicas: true}},
	{schema.GroupVersionKind{Group: "autoscaling.k8s.io", Version: "v1", Kind: "VerticalPodAutoscaler"}, "targetRef", manifest.Scaled{Resources: true}},
	{schema.GroupVersionKind{Group: "autoscaling.k8s.io", Version: "v1alpha1", Kind: "Hvpa"}, "targetRef", manifest.Scaled{Replicas: true, Resources: true}},
}

// scaled finds the fields of a workload that autoscalers of its namespace own.
func scaled(ctx context.Context, target client.Client, workload *unstructured.Unstructured) (manifest.Scaled, error) {
	var result manifest.Scaled
	if !manifest.Scalable(workload) {
		return result, nil
	}
	for _, a := range autoscalers {
		if _, err := target.RESTMapper().RESTMapping(a.kind.GroupKind(), a.kind.Version); meta.IsNoMatchError(err) {
			continue // not installed
		}
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(a.kind.GroupVersion().WithKind(a.kind.Kind + "List"))
		if err := target.List(ctx, list, client.InNamespace(workload.GetNamespace())); err != nil {
			return result, fmt.Errorf("list autoscalers of kind %s: %w", a.kind.Kind, err)
		}
		for i := range list.Items {
			if a.aimsAt(&list.Items[i], workload) {
				result.Replicas = result.Replicas || a.scales.Replicas
				result.Resources = result.Resources || a.scales.Resources
			}
		}
	}
	return result, nil
}

func (a autoscaler) aimsAt(scaler, workload *unstructured.Unstructured) bool {
	ref, _, _ := unstructured.NestedStringMap(scaler.Object, "spec", a.target)
	kind := schema.FromAPIVersionAndKind(ref["apiVersion"], ref["kind"]).GroupKind()
	return kind == workload.GroupVersionKind().GroupKind() && ref["name"] == workload.GetName() && scaler.GetDeletionTimestamp() == nil
}
