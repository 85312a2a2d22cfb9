package seed

import (
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func autoscaled(enabled bool) *gardencorev1beta1.Seed {
	return &gardencorev1beta1.Seed{Spec: gardencorev1beta1.SeedSpec{Settings: &gardencorev1beta1.SeedSettings{
		VerticalPodAutoscaler: &gardencorev1beta1.SeedSettingVerticalPodAutoscaler{Enabled: enabled},
	}}}
}

func autoscaledSeed(t *testing.T, objects ...client.Object) *Reconciler {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	seed := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	return &Reconciler{SeedClient: seed, Clock: testclock.NewFakePassiveClock(time.Now()), Image: "gardener", crds: &crdInstaller{client: seed}}
}

// left counts what belongs to the autoscaler.
func left(t *testing.T, r *Reconciler) int {
	t.Helper()
	count := 0
	for _, list := range []client.ObjectList{
		&appsv1.DeploymentList{}, &corev1.SecretList{}, &corev1.ServiceList{}, &corev1.ServiceAccountList{}, &rbacv1.ClusterRoleList{},
		&rbacv1.ClusterRoleBindingList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &admissionregistrationv1.MutatingWebhookConfigurationList{},
	} {
		if err := r.SeedClient.List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		count += meta.LenList(list)
	}
	return count
}

func TestAutoscaler(t *testing.T) {
	r := autoscaledSeed(t)
	reconcile := func(t *testing.T, enabled bool) {
		t.Helper()
		if err := r.reconcileAutoscaler(t.Context(), autoscaled(enabled)); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("GLT-14 a seed whose settings want none gets none", func(t *testing.T) {
		reconcile(t, false)
		if err := r.reconcileAutoscaler(t.Context(), &gardencorev1beta1.Seed{}); err != nil || left(t, r) != 0 {
			t.Errorf("%d objects, %v", left(t, r), err)
		}
	})
	t.Run("GLT-14 a seed whose settings want a vertical pod autoscaler gets three Deployments and the kinds", func(t *testing.T) {
		reconcile(t, true)
		deployments := &appsv1.DeploymentList{}
		if err := r.SeedClient.List(t.Context(), deployments, client.InNamespace("garden")); err != nil || len(deployments.Items) != 3 {
			t.Errorf("%d Deployments, %v", len(deployments.Items), err)
		}
		definitions := &apiextensionsv1.CustomResourceDefinitionList{}
		if err := r.SeedClient.List(t.Context(), definitions); err != nil || len(definitions.Items) != 2 {
			t.Errorf("%d definitions, %v", len(definitions.Items), err)
		}
		before := left(t, r)
		reconcile(t, true)
		if after := left(t, r); after != before {
			t.Errorf("%d objects, and %d after another reconciliation", before, after)
		}
	})
	t.Run("GLT-14 its API server trusts the webhook", func(t *testing.T) {
		configuration := &admissionregistrationv1.MutatingWebhookConfiguration{}
		if err := r.SeedClient.Get(t.Context(), client.ObjectKey{Name: "vpa-webhook-config-seed"}, configuration); err != nil {
			t.Fatal(err)
		}
		reach := configuration.Webhooks[0].ClientConfig
		service := &corev1.Service{}
		if err := r.SeedClient.Get(t.Context(), client.ObjectKey{Namespace: reach.Service.Namespace, Name: reach.Service.Name}, service); err != nil || len(reach.CABundle) == 0 {
			t.Errorf("it calls %+v, %v", reach, err)
		}
	})
	t.Run("GLT-14 its health counts for the seed", func(t *testing.T) {
		if got := r.autoscalerHealth(t.Context()); got.Status == gardencorev1beta1.ConditionTrue {
			t.Errorf("Deployments without pods are healthy: %+v", got)
		}
	})
	t.Run("GLT-14 it goes when the settings change, and the kinds stay with their objects", func(t *testing.T) {
		reconcile(t, false)
		if count := left(t, r); count != 0 {
			t.Errorf("%d objects are left", count)
		}
		definitions := &apiextensionsv1.CustomResourceDefinitionList{}
		if err := r.SeedClient.List(t.Context(), definitions); err != nil || len(definitions.Items) != 2 {
			t.Errorf("%d definitions, %v", len(definitions.Items), err)
		}
	})
	t.Run("GLT-14 a seed with an autoscaler of somebody else keeps it", func(t *testing.T) {
		r = autoscaledSeed(t, &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "verticalpodautoscalers.autoscaling.k8s.io"}})
		reconcile(t, true)
		if count := left(t, r); count != 0 {
			t.Errorf("%d objects beside those of somebody else", count)
		}
		if got := r.autoscalerHealth(t.Context()); got.Status != gardencorev1beta1.ConditionTrue {
			t.Errorf("its health counts: %+v", got)
		}
	})
}
