package seed

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestMonitoring(t *testing.T) {
	seed := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).Build()
	now := testclock.NewFakePassiveClock(time.Now())
	r := &Reconciler{SeedClient: seed, Clock: now, SeedName: "north", Image: "gardener", Monitoring: true}
	reconcile := func(t *testing.T) {
		t.Helper()
		if err := r.parts().monitoring.reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	health := func(t *testing.T, want string) {
		t.Helper()
		if got := r.parts().monitoring.health(t.Context()); got.Reason != want {
			t.Errorf("the reason is %s (%s), want %s", got.Reason, got.Message, want)
		}
	}
	t.Run("GLT-14 a Prometheus that somebody deleted is missing", func(t *testing.T) { health(t, reasonComponentUnhealthy) })
	t.Run("GLT-14 the seed gets a Prometheus once", func(t *testing.T) {
		reconcile(t)
		first, err := r.parts().monitoring.prometheus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		reconcile(t)
		if second, err := r.parts().monitoring.prometheus(t.Context()); err != nil || len(second.Spec.Template.Spec.Volumes) != len(first.Spec.Template.Spec.Volumes) {
			t.Errorf("it is written anew: %v, %v", second, err)
		}
		secrets := &corev1.SecretList{}
		if err := seed.List(t.Context(), secrets); err != nil || len(secrets.Items) != 4 {
			t.Errorf("it has %d Secrets, want 4: %v", len(secrets.Items), err)
		}
	})
	t.Run("GLT-14 its health counts for the seed", func(t *testing.T) {
		set, err := r.parts().monitoring.prometheus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now.SetTime(set.CreationTimestamp.Add(time.Minute))
		health(t, reasonComponentsStarting)
		now.SetTime(set.CreationTimestamp.Add(time.Hour))
		health(t, reasonComponentUnhealthy)
		set.Status.ReadyReplicas = 1
		if err := seed.Status().Update(t.Context(), set); err != nil {
			t.Fatal(err)
		}
		health(t, reasonComponentsRunning)
	})
	t.Run("GLT-14 it goes when the setting is removed", func(t *testing.T) {
		set, err := r.parts().monitoring.prometheus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := seed.Delete(t.Context(), set); err != nil { // a deployment that has not come so far leaves the others
			t.Fatal(err)
		}
		r.Monitoring = false
		reconcile(t)
		for _, list := range []client.ObjectList{&corev1.SecretList{}, &corev1.ServiceList{}, &corev1.ServiceAccountList{}, &rbacv1.ClusterRoleList{}, &rbacv1.ClusterRoleBindingList{}} {
			if err := seed.List(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			if left := meta.LenList(list); left > 0 {
				t.Errorf("%d objects of %T are left", left, list)
			}
		}
	})
}
