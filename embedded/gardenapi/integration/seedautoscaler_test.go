package integration

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

// newAutoscaler scales a set that need not be there.
func newAutoscaler(name string) *seedmanagement.SeedAutoscaler {
	return &seedmanagement.SeedAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: constants.GardenNamespace},
		Spec: seedmanagement.SeedAutoscalerSpec{
			ScaleTargetRef: autoscalingv1.CrossVersionObjectReference{APIVersion: seedmanagement.SchemeGroupVersion.String(), Kind: "ManagedSeedSet", Name: "set"},
			MaxReplicas:    3,
			Metrics: []seedmanagement.MetricSpec{{Type: seedmanagement.ResourceMetricSourceType, Resource: &seedmanagement.ResourceMetricSource{
				Name: seedmanagement.ResourceShoots, Target: seedmanagement.MetricTarget{Type: seedmanagement.AverageValueMetricType, AverageValue: resource.NewQuantity(100, resource.DecimalSI)},
			}}},
		},
	}
}

func TestSeedAutoscaler(t *testing.T) {
	told, c := warned(t)
	ctx, autoscaler := t.Context(), newAutoscaler("autoscaler")
	if err := c.Create(ctx, autoscaler); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(t, admin(t), autoscaler) })

	t.Run("API-37 who creates an autoscaler hears that it has no effect", func(t *testing.T) {
		if text := strings.Join(told(), "\n"); !strings.Contains(text, "has no effect") {
			t.Errorf("warnings are %q", text)
		}
	})
	t.Run("API-37 an autoscaler is stored with its defaults and without a status", func(t *testing.T) {
		got, want := &seedmanagement.SeedAutoscaler{}, newAutoscaler("autoscaler").Spec
		if err := c.Get(ctx, client.ObjectKeyFromObject(autoscaler), got); err != nil {
			t.Fatal(err)
		}
		want.MinReplicas = new(int32(1))
		if diff := cmp.Diff(want, got.Spec); diff != "" || got.Generation != 1 {
			t.Errorf("generation %d, specification (-want +got):\n%s", got.Generation, diff)
		}
	})
	t.Run("API-37 its specification can be changed, which is no reason to warn", func(t *testing.T) {
		if err := tryMerge(t, c, autoscaler, `{"spec":{"maxReplicas":5},"status":{"currentReplicas":7}}`); err != nil {
			t.Fatal(err)
		}
		if autoscaler.Spec.MaxReplicas != 5 || autoscaler.Status.CurrentReplicas != 0 || autoscaler.Generation != 2 {
			t.Errorf("generation %d, specification %+v, status %+v", autoscaler.Generation, autoscaler.Spec, autoscaler.Status)
		}
		if texts := told(); len(texts) > 0 {
			t.Errorf("warnings are %q", texts)
		}
	})
	t.Run("API-37 its status can be changed, and nothing else by that", func(t *testing.T) {
		if err := tryMerge(t, c, autoscaler, `{"spec":{"maxReplicas":9},"status":{"currentReplicas":2,"desiredReplicas":3,"currentMetrics":[{"type":"Resource","resource":{"name":"shoots","current":{"averageValue":"120"}}}]}}`, "status"); err != nil {
			t.Fatal(err)
		}
		status := autoscaler.Status
		if autoscaler.Spec.MaxReplicas != 5 || autoscaler.Generation != 2 || status.DesiredReplicas != 3 || len(status.CurrentMetrics) != 1 || status.CurrentMetrics[0].Resource.Current.AverageValue.Value() != 120 {
			t.Errorf("generation %d, specification %+v, status %+v", autoscaler.Generation, autoscaler.Spec, status)
		}
	})
	t.Run("API-37 mistakes are refused", func(t *testing.T) {
		wantStatus(t, tryMerge(t, c, autoscaler.DeepCopy(), `{"spec":{"maxReplicas":0}}`), 422, "spec.maxReplicas")
		wantStatus(t, tryMerge(t, c, autoscaler.DeepCopy(), `{"status":{"desiredReplicas":-1}}`, "status"), 422, "status.desiredReplicas")
		wrong := newAutoscaler("wrong")
		wrong.Spec.ScaleTargetRef.Kind = "ManagedSeed"
		wantStatus(t, c.Create(ctx, wrong), 422, "spec.scaleTargetRef.kind")
	})
	t.Run("API-37 its row shows set, limits and replicas", func(t *testing.T) {
		var table metav1.Table
		body := get(t, "/apis/seedmanagement.gardener.cloud/v1alpha1/namespaces/garden/seedautoscalers/autoscaler", "application/json;as=Table;v=v1;g=meta.k8s.io")
		if err := json.Unmarshal(body, &table); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{"autoscaler", "ManagedSeedSet/set", 1.0, 5.0, 2.0}, table.Rows[0].Cells[:5]); diff != "" {
			t.Errorf("cells (-want +got):\n%s", diff)
		}
	})
}
