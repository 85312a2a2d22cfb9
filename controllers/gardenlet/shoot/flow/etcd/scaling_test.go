package etcd

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	autoscalingv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/autoscaling/v1alpha1"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

func TestScalingOfAnEtcd(t *testing.T) {
	const name = "shoot--p--s"
	kept := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("3Gi")}
	for title, tc := range map[string]struct {
		scaled bool
		want   corev1.ResourceList
		hvpas  int
	}{
		"GLT-41 an etcd that is scaled keeps its requests, and has an Hvpa": {true, kept, 1},
		"GLT-41 without the gate it does not":                               {false, nil, 0},
	} {
		t.Run(title, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := install.AddSeed(scheme); err != nil {
				t.Fatal(err)
			}
			existing := object("main", name)
			existing.Spec.Etcd.Resources = &corev1.ResourceRequirements{Requests: kept}
			cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(existing).Build()
			shoot := &gardencorev1beta1.Shoot{Spec: gardencorev1beta1.ShootSpec{
				Purpose:     ptr.To(gardencorev1beta1.ShootPurposeProduction),
				Maintenance: &gardencorev1beta1.Maintenance{TimeWindow: &gardencorev1beta1.MaintenanceTimeWindow{Begin: "220000+0000", End: "230000+0000"}},
			}}
			e := Etcd{Shoot: shoot, Scaled: tc.scaled, Space: seed.New(name, "image", cluster, nil, clocktesting.NewFakePassiveClock(metav1.Now().Time))}
			got, err := e.scale(t.Context(), "main")
			if err != nil {
				t.Fatal(err)
			}
			if got.Memory().Cmp(*tc.want.Memory()) != 0 {
				t.Errorf("requests are %v, want %v", got, tc.want)
			}
			list := &autoscalingv1alpha1.HvpaList{}
			if err := cluster.List(t.Context(), list, client.InNamespace(name)); err != nil {
				t.Fatal(err)
			}
			if len(list.Items) != tc.hvpas {
				t.Fatalf("%d hvpas", len(list.Items))
			}
			for _, hvpa := range list.Items {
				if *hvpa.Spec.Vpa.ScaleDown.UpdatePolicy.UpdateMode != "Off" || hvpa.Spec.MaintenanceTimeWindow == nil {
					t.Errorf("hvpa %+v", hvpa.Spec)
				}
			}
			if err := e.stopScaling(t.Context(), "main"); err != nil {
				t.Fatal(err)
			}
			if err := cluster.List(t.Context(), list, client.InNamespace(name)); err != nil || len(list.Items) != 0 {
				t.Errorf("%d hvpas are left, %v", len(list.Items), err)
			}
		})
	}
}
