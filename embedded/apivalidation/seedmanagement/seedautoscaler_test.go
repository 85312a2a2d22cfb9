package seedmanagement

import (
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/mistakes"
)

// autoscaler is valid: its first metric is a utilization, its second a value.
func autoscaler() *seedmanagement.SeedAutoscaler {
	metric := func(target seedmanagement.MetricTarget) seedmanagement.MetricSpec {
		return seedmanagement.MetricSpec{Type: seedmanagement.ResourceMetricSourceType, Resource: &seedmanagement.ResourceMetricSource{Name: "shoots", Target: target}}
	}
	a := &seedmanagement.SeedAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "garden", ResourceVersion: "1"},
		Spec: seedmanagement.SeedAutoscalerSpec{
			ScaleTargetRef: autoscalingv1.CrossVersionObjectReference{APIVersion: "seedmanagement.gardener.cloud/v1alpha1", Kind: "ManagedSeedSet", Name: "a"},
			MaxReplicas:    3,
			Metrics: []seedmanagement.MetricSpec{
				metric(seedmanagement.MetricTarget{Type: seedmanagement.UtilizationMetricType, AverageUtilization: new(int32(50))}),
				metric(seedmanagement.MetricTarget{Type: seedmanagement.AverageValueMetricType, AverageValue: resource.NewQuantity(100, resource.DecimalSI)}),
			},
		},
	}
	seedmanagement.SetObjectDefaults_SeedAutoscaler(a)
	return a
}

func TestSeedAutoscaler(t *testing.T) {
	const target, first, second = "spec.scaleTargetRef", "spec.metrics[0]", "spec.metrics[1]"
	R, Fine := mistakes.R, mistakes.Fine
	rules := []mistakes.Rule{
		R("MSD-20 autoscalers are in the garden", "metadata.namespace", `"garden-a"`),
		R("MSD-20 there is a target", target, `{}`, target+".apiVersion", target+".kind", target+".name"),
		R("MSD-20 the target is of the group", target+".apiVersion", `"apps/v1"`),
		R("MSD-20 the target is a set", target+".kind", `"ManagedSeed"`),
		R("MSD-20 the target has the name of a set", target+".name", `"a.b"`),
		Fine("MSD-20 there may be no seed", "spec.minReplicas", `0`),
		Fine("MSD-20 the least may be the most", "spec.minReplicas", `3`),
		R("MSD-20 replicas are counted", "spec.minReplicas", `-1`),
		R("MSD-20 the least is not more than the most", "spec.minReplicas", `4`, "spec.maxReplicas"),
		R("MSD-20 one seed is possible", "spec.maxReplicas", `0`),
		Fine("MSD-20 limits alone are enough", "spec.metrics", `null`),
		R("MSD-20 a metric has a type", first+".type", `""`),
		R("MSD-20 a metric is of a resource", first+".type", `"Pods"`),
		R("MSD-20 a metric of a resource names it", first+".resource", `null`),
		R("MSD-20 the resource is named", first+".resource.name", `""`),
		R("MSD-20 the resource is shoots", first+".resource.name", `"cpu"`),
		R("MSD-20 a target has a type", first+".resource.target.type", `""`),
		R("MSD-20 a type of targets is known", first+".resource.target.type", `"Value"`),
		R("MSD-20 a utilization has percents", first+".resource.target.averageUtilization", `null`),
		R("MSD-20 percents are positive", first+".resource.target.averageUtilization", `0`),
		R("MSD-20 a utilization has no value", first+".resource.target.averageValue", `"1"`),
		R("MSD-20 a value has a number", second+".resource.target.averageValue", `null`),
		R("MSD-20 a value is positive", second+".resource.target.averageValue", `"0"`),
		R("MSD-20 a value has no percents", second+".resource.target.averageUtilization", `1`),
		R("MSD-20 a resource has one target of a type", second+".resource.target", `{"type":"Utilization","averageUtilization":60}`, second+".resource.target.type"),
	}
	mistakes.Check(t, autoscaler, ValidateSeedAutoscaler, rules...)
	mistakes.CheckUpdate(t, autoscaler, ValidateSeedAutoscalerUpdate,
		append(rules[1:], // the namespace is fixed, which is another message about the same field
			Fine("MSD-20 another set can be scaled", target+".name", `"b"`),
			R("MSD-20 the name is fixed", "metadata.name", `"b"`))...)
	mistakes.CheckUpdate(t, autoscaler, ValidateSeedAutoscalerStatusUpdate,
		R("MSD-20 seeds that are there are counted", "status.currentReplicas", `-1`),
		R("MSD-20 seeds that are needed are counted", "status.desiredReplicas", `-1`))
}

func TestSeedAutoscalerDefaults(t *testing.T) {
	if a := autoscaler(); *a.Spec.MinReplicas != 1 {
		t.Errorf("MSD-20 the least is %d by default, want 1", *a.Spec.MinReplicas)
	}
	none := autoscaler()
	none.Spec.MinReplicas = new(int32(0))
	if seedmanagement.SetObjectDefaults_SeedAutoscaler(none); *none.Spec.MinReplicas != 0 {
		t.Errorf("MSD-20 a least of 0 becomes %d", *none.Spec.MinReplicas)
	}
}
