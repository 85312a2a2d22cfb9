package controllerinstallation

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

type statuses map[gardencorev1beta1.ConditionType]gardencorev1beta1.ConditionStatus

func TestInvalid(t *testing.T) {
	managed := &resourcesv1alpha1.ManagedResource{
		ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: "x"},
		Status: resourcesv1alpha1.ManagedResourceStatus{Conditions: []gardencorev1beta1.Condition{
			{Type: "ResourcesApplied", Status: "True"}, {Type: "ResourcesHealthy", Status: "True"}, {Type: "ResourcesProgressing", Status: "False"},
		}},
	}
	for name, tc := range map[string]struct {
		inSeed []client.Object
		want   statuses
	}{
		"nothing is deployed":             {nil, statuses{"Valid": "False", "Installed": "False", "Healthy": "False", "Progressing": "True"}},
		"an earlier chart is still there": {[]client.Object{managed}, statuses{"Valid": "False", "Installed": "True", "Healthy": "True", "Progressing": "False"}},
	} {
		t.Run("GLT-22 the conditions of an installation without its deployment are not those of old: "+name, func(t *testing.T) {
			garden, seed := runtime.NewScheme(), runtime.NewScheme()
			if err := errors.Join(install.AddGarden(garden), install.AddSeed(seed)); err != nil {
				t.Fatal(err)
			}
			installation := &gardencorev1beta1.ControllerInstallation{ObjectMeta: metav1.ObjectMeta{Name: "x"}}
			installation.Spec.RegistrationRef.Name = "registration"
			installation.Spec.SeedRef = &corev1.ObjectReference{Name: "seed"}
			installation.Spec.DeploymentRef = &corev1.ObjectReference{Name: "missing"}
			for kind, status := range (statuses{"Valid": "True", "Installed": "True", "Healthy": "True", "Progressing": "False"}) {
				installation.Status.Conditions = append(installation.Status.Conditions, gardencorev1beta1.Condition{Type: kind, Status: status})
			}
			registration := &gardencorev1beta1.ControllerRegistration{ObjectMeta: metav1.ObjectMeta{Name: "registration"}}
			kept := fake.NewClientBuilder().WithScheme(garden).WithObjects(installation, registration).WithStatusSubresource(installation).Build()
			r := &Reconciler{
				Garden: kept, Seed: fake.NewClientBuilder().WithScheme(seed).WithObjects(tc.inSeed...).Build(),
				Clock: testclock.NewFakePassiveClock(time.Unix(1, 0)), SeedName: "seed",
			}
			if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(installation)}); err != nil {
				t.Fatal(err)
			}
			if err := kept.Get(t.Context(), client.ObjectKeyFromObject(installation), installation); err != nil {
				t.Fatal(err)
			}
			got := statuses{}
			for _, condition := range installation.Status.Conditions {
				got[condition.Type] = condition.Status
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}
