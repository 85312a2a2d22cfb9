package integration

import (
	"context"
	"errors"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

func TestControllerInstallation(t *testing.T) {
	for name, deploymentType := range map[string]string{"builtin": "builtin", "chart": "helm"} {
		create(t, &gardencorev1beta1.ControllerDeployment{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Type: deploymentType, ProviderConfig: runtime.RawExtension{Raw: []byte(`{"chart":"eA=="}`)},
		})
	}
	register := func(name, kind string) *gardencorev1beta1.ControllerRegistration {
		policy := gardencorev1beta1.ControllerDeploymentPolicyAlways
		return create(t, &gardencorev1beta1.ControllerRegistration{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: gardencorev1beta1.ControllerRegistrationSpec{
				Resources:  []gardencorev1beta1.ControllerResource{{Kind: kind, Type: name}},
				Deployment: &gardencorev1beta1.ControllerRegistrationDeployment{Policy: &policy, DeploymentRefs: []gardencorev1beta1.DeploymentRef{{Name: name}}},
			},
		})
	}
	builtin := register("builtin", "ContainerRuntime")
	find := func(ctx context.Context, registration string) (*gardencorev1beta1.ControllerInstallation, error) {
		list := &gardencorev1beta1.ControllerInstallationList{}
		if err := cluster.List(ctx, list); err != nil {
			return nil, err
		}
		for i := range list.Items {
			if list.Items[i].Spec.RegistrationRef.Name == registration {
				return &list.Items[i], nil
			}
		}
		return nil, fmt.Errorf("no installation of %q", registration)
	}
	has := func(registration string, want map[gardencorev1beta1.ConditionType]gardencorev1beta1.ConditionStatus) func(context.Context) error {
		return func(ctx context.Context) error {
			installation, err := find(ctx, registration)
			if err != nil {
				return err
			}
			for kind, status := range want {
				if c := conditions.Get(installation.Status.Conditions, kind); c == nil || c.Status != status {
					return fmt.Errorf("%s: %+v", kind, c)
				}
			}
			return nil
		}
	}
	t.Run("EXT-21 a controller of the appliance is installed and healthy", func(t *testing.T) {
		eventually(t, "conditions", has("builtin", map[gardencorev1beta1.ConditionType]gardencorev1beta1.ConditionStatus{
			"Valid": "True", "Installed": "True", "Healthy": "True", "Progressing": "False",
		}))
		eventually(t, "seed", conditionIs("ExtensionsReady", "True"))
	})
	t.Run("EXT-20 EXT-21 GLT-22 a chart that cannot be rendered, registered while all run, says so", func(t *testing.T) {
		chart := register("chart", "Network")
		eventually(t, "conditions", has("chart", map[gardencorev1beta1.ConditionType]gardencorev1beta1.ConditionStatus{"Valid": "False", "Installed": "False"}))
		installation, err := find(t.Context(), "chart")
		if err != nil {
			t.Fatal(err)
		}
		if c := conditions.Get(installation.Status.Conditions, "Valid"); c.Reason != "ChartCannotBeRendered" {
			t.Errorf("not valid because of %s: %s", c.Reason, c.Message)
		}
		eventually(t, "seed", conditionIs("ExtensionsReady", "False"))
		if err := cluster.Delete(t.Context(), chart); err != nil {
			t.Fatal(err)
		}
		eventually(t, "registration", isGone(chart))
		eventually(t, "seed", conditionIs("ExtensionsReady", "True"))
	})
	t.Run("EXT-22 a controller whose registration names no deployment runs elsewhere, another type is left alone", func(t *testing.T) {
		policy := gardencorev1beta1.ControllerDeploymentPolicyAlways
		create(t, &gardencorev1beta1.ControllerDeployment{ObjectMeta: metav1.ObjectMeta{Name: "foreign"}, Type: "foreign", ProviderConfig: runtime.RawExtension{Raw: []byte(`{}`)}})
		foreign := register("foreign", "ContainerRuntime")
		elsewhere := create(t, &gardencorev1beta1.ControllerRegistration{
			ObjectMeta: metav1.ObjectMeta{Name: "elsewhere"},
			Spec: gardencorev1beta1.ControllerRegistrationSpec{
				Resources:  []gardencorev1beta1.ControllerResource{{Kind: "Extension", Type: "elsewhere"}},
				Deployment: &gardencorev1beta1.ControllerRegistrationDeployment{Policy: &policy},
			},
		})
		eventually(t, "conditions", has("elsewhere", map[gardencorev1beta1.ConditionType]gardencorev1beta1.ConditionStatus{"Valid": "True", "Installed": "True", "Healthy": "True", "Progressing": "False"}))
		eventually(t, "finalizer", func(ctx context.Context) error {
			installation, err := find(ctx, "foreign")
			if err == nil && len(installation.Finalizers) == 0 {
				err = errors.New("the gardenlet has not seen it")
			}
			if err == nil && len(installation.Status.Conditions) > 0 {
				err = fmt.Errorf("the gardenlet reports %+v", installation.Status.Conditions)
			}
			return err
		})
		for _, registration := range []*gardencorev1beta1.ControllerRegistration{foreign, elsewhere} {
			if err := cluster.Delete(t.Context(), registration); err != nil {
				t.Fatal(err)
			}
			eventually(t, "registration", isGone(registration))
		}
	})
	t.Run("GLT-22 an installation stays while its objects exist", func(t *testing.T) {
		user := create(t, &extensionsv1alpha1.ContainerRuntime{
			ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "user"},
			Spec: extensionsv1alpha1.ContainerRuntimeSpec{
				DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "builtin"}, BinaryPath: "/x",
				WorkerPool: extensionsv1alpha1.ContainerRuntimeWorkerPool{Name: "x"},
			},
		})
		if err := cluster.Delete(t.Context(), builtin); err != nil {
			t.Fatal(err)
		}
		eventually(t, "required", has("builtin", map[gardencorev1beta1.ConditionType]gardencorev1beta1.ConditionStatus{"Required": "True"}))
		if err := cluster.Delete(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		eventually(t, "registration", isGone(builtin))
	})
}
