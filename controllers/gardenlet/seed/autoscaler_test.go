package seed

import (
	"fmt"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
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
	seed := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithIndex(&appsv1.Deployment{}, "metadata.name", func(object client.Object) []string {
		return []string{object.GetName()}
	}).Build()
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
		if err := r.parts().autoscaling.reconcile(t.Context(), autoscaled(enabled), false); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("GLT-14 a seed whose settings want none gets none", func(t *testing.T) {
		reconcile(t, false)
		if err := r.parts().autoscaling.reconcile(t.Context(), &gardencorev1beta1.Seed{}, false); err != nil || left(t, r) != 0 {
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
		if got := r.parts().autoscaling.health(t.Context()); got.Status == gardencorev1beta1.ConditionTrue {
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
	t.Run("GLT-14 the gardenlet's own is no autoscaler of somebody else", func(t *testing.T) {
		reconcile(t, true)
		lease := renewed(r.Clock.Now(), "gardenlet")
		if err := r.SeedClient.Create(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		if other, err := r.parts().autoscaling.own().Other(t.Context()); other != "" || err != nil {
			t.Errorf("found %q, %v", other, err)
		}
	})
	t.Run("GLT-14 it goes when somebody else installs another one", func(t *testing.T) {
		if err := r.SeedClient.Create(t.Context(), recommender("tools")); err != nil {
			t.Fatal(err)
		}
		reconcile(t, true)
		if count := left(t, r); count != 1 {
			t.Errorf("%d objects, want the new Deployment only", count)
		}
	})
}

func TestAutoscalerBesideAnOperator(t *testing.T) {
	r := autoscaledSeed(t)
	for _, step := range []struct {
		operated bool
		want     int
	}{{false, 3}, {true, 0}, {false, 3}} {
		t.Run(fmt.Sprintf("OPR-28 a gardenlet beside an operator (%t) has %d Deployments", step.operated, step.want), func(t *testing.T) {
			if err := r.parts().autoscaling.reconcile(t.Context(), autoscaled(true), step.operated); err != nil {
				t.Fatal(err)
			}
			deployments := &appsv1.DeploymentList{}
			if err := r.SeedClient.List(t.Context(), deployments); err != nil || len(deployments.Items) != step.want {
				t.Errorf("%d Deployments, %v", len(deployments.Items), err)
			}
			if health := r.parts().autoscaling.health(t.Context()); (health.Status == gardencorev1beta1.ConditionTrue) != step.operated {
				t.Errorf("its health is %+v", health)
			}
		})
	}
}

func recommender(namespace string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "vpa-recommender"}}
}

func renewed(at time.Time, holder string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "vpa-admission-controller"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &metav1.MicroTime{Time: at}},
	}
}

// TestOtherAutoscaler looks at seeds whose kinds this gardenlet has installed, as it does to scale etcds.
func TestOtherAutoscaler(t *testing.T) {
	ofShoot := recommender("shoot--a--b")
	ofShoot.Labels = map[string]string{"gardener.cloud/role": "controlplane"}
	ofOperator := recommender("garden")
	ofOperator.Labels = map[string]string{"seed.gardener.cloud/vertical-pod-autoscaler": "gardener-operator"}
	for name, tc := range map[string]struct {
		object client.Object
		alone  bool // the gardenlet deploys its own
	}{
		"OPR-28 that of the operator of a Garden": {ofOperator, false},
		"that of a shoot":                         {ofShoot, true},
		"a lease that nobody renews":              {renewed(time.Now().Add(-time.Hour), "vpa-admission-controller-x"), true},
		"kinds without an autoscaler":             {&apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "verticalpodautoscalers.autoscaling.k8s.io"}}, true},
		"a recommender":                           {recommender("kube-system"), false},
		"one in the same namespace":               {recommender("garden"), false},
		"an account":                              {&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "vpa-recommender"}}, false},
		"a webhook": {&admissionregistrationv1.MutatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: "any"}, Webhooks: []admissionregistrationv1.MutatingWebhook{{Name: "vpa.k8s.io"}},
		}, false},
		"a lease": {renewed(time.Now(), "vpa-admission-controller-x"), false},
	} {
		t.Run("GLT-14 "+name, func(t *testing.T) {
			r := autoscaledSeed(t, tc.object)
			r.ScaleEtcds = true
			if err := r.parts().scaling.deploy(t.Context()); err != nil {
				t.Fatal(err)
			}
			before := left(t, r)
			for _, enabled := range []bool{true, false} {
				if err := r.parts().autoscaling.reconcile(t.Context(), autoscaled(enabled), false); err != nil {
					t.Fatal(err)
				}
				own := &appsv1.Deployment{}
				err := r.SeedClient.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: "vpa-updater"}, own)
				if deployed := err == nil; deployed != (tc.alone && enabled) {
					t.Errorf("with setting %t there is one of the gardenlet: %t, %v", enabled, deployed, err)
				}
			}
			if after := left(t, r); after != before {
				t.Errorf("%d objects before, %d after", before, after)
			}
			if health := r.parts().autoscaling.health(t.Context()); !tc.alone && health.Status != gardencorev1beta1.ConditionTrue {
				t.Errorf("the health of another one counts: %+v", health)
			}
			if err := r.SeedClient.Get(t.Context(), client.ObjectKeyFromObject(tc.object), tc.object); err != nil {
				t.Errorf("what was there before: %v", err)
			}
		})
	}
}
