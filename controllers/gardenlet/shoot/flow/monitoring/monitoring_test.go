package monitoring

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const namespace = "shoot--sky--sun"

type fixture struct {
	*testing.T
	seed client.WithWatch
	made credentials.Made
}

func newFixture(t *testing.T) fixture {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, resourcesv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	f := fixture{T: t, seed: fake.NewClientBuilder().WithScheme(scheme).Build()}
	manager, err := secretsmanager.New(t.Context(), secretsmanager.Settings{
		Reader: f.seed, Writer: f.seed, Clock: clock.RealClock{}, Namespace: namespace, Identity: constants.SecretManagerIdentityGardenlet,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range []secretsmanager.Config{
		secretsmanager.Certificate{Name: constants.SecretNameCACluster, CommonName: "kubernetes", Usage: secretsmanager.CA},
		secretsmanager.BasicAuth{Name: constants.SecretNameObservabilityIngressUsers, Username: "admin", PasswordLength: 32},
	} {
		if _, err := manager.Generate(t.Context(), config); err != nil {
			t.Fatal(err)
		}
	}
	f.made = credentials.Made{Manager: manager}
	return f
}

// reconcile reports what it waits for, or nothing if it ends.
func (f fixture) reconcile(enabled bool, purpose gardencorev1beta1.ShootPurpose) (waitsFor string) {
	f.Helper()
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Name: "sun", Namespace: "garden-sky"}, Spec: gardencorev1beta1.ShootSpec{Purpose: &purpose}}
	space := seed.New(namespace, "gardener", f.seed, nil, clock.RealClock{})
	synctest.Test(f.T, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := (Monitoring{Shoot: shoot, Space: space, Enabled: enabled, Replicas: 1, Members: 1}).Reconcile(ctx, f.made); err != nil {
			waitsFor = err.Error()
		}
	})
	return waitsFor
}

func (f fixture) set() *appsv1.StatefulSet {
	f.Helper()
	set := &appsv1.StatefulSet{}
	if err := f.seed.Get(f.Context(), client.ObjectKey{Namespace: namespace, Name: "prometheus-shoot"}, set); client.IgnoreNotFound(err) != nil {
		f.Fatal(err)
	}
	return set
}

func (f fixture) giveToken() {
	f.Helper()
	secret := &corev1.Secret{}
	if err := f.seed.Get(f.Context(), client.ObjectKey{Namespace: namespace, Name: "shoot-access-prometheus"}, secret); err != nil {
		f.Fatal(err)
	}
	secret.Data = map[string][]byte{"token": []byte("token")}
	if err := f.seed.Update(f.Context(), secret); err != nil {
		f.Fatal(err)
	}
}

// left are the names of all objects but those of the manager of secrets and the configuration, which others collect.
func (f fixture) left() (names []string) {
	f.Helper()
	for _, list := range []client.ObjectList{&corev1.ServiceList{}, &resourcesv1alpha1.ManagedResourceList{}, &appsv1.StatefulSetList{}, &corev1.SecretList{}} {
		if err := f.seed.List(f.Context(), list); err != nil {
			f.Fatal(err)
		}
		switch l := list.(type) {
		case *corev1.ServiceList:
			for i := range l.Items {
				names = append(names, l.Items[i].Name)
			}
		case *resourcesv1alpha1.ManagedResourceList:
			for i := range l.Items {
				names = append(names, l.Items[i].Name)
			}
		case *appsv1.StatefulSetList:
			for i := range l.Items {
				names = append(names, l.Items[i].Name)
			}
		case *corev1.SecretList:
			for i := range l.Items {
				if l.Items[i].Labels[secretsmanager.LabelManagedBy] == "" {
					names = append(names, l.Items[i].Name)
				}
			}
		}
	}
	return names
}

func TestReconcile(t *testing.T) {
	t.Run("GLT-33 a shoot gets a Prometheus when there is a token for it", func(t *testing.T) {
		f := newFixture(t)
		if got := f.reconcile(true, gardencorev1beta1.ShootPurposeEvaluation); !strings.Contains(got, "no token") {
			t.Errorf("it waits for %q", got)
		}
		if f.set().Name != "" {
			t.Error("the Prometheus starts without a token")
		}
		f.giveToken()
		if got := f.reconcile(true, gardencorev1beta1.ShootPurposeEvaluation); got != "" {
			t.Errorf("it waits for %q", got)
		}
		if got := f.set(); ptr.Deref(got.Spec.Replicas, 0) != 1 {
			t.Errorf("the Prometheus is %+v", got)
		}
	})
	t.Run("GLT-33 an access that never got a token goes, too", func(t *testing.T) {
		f := newFixture(t)
		_ = f.reconcile(true, gardencorev1beta1.ShootPurposeEvaluation)
		if got := f.reconcile(false, gardencorev1beta1.ShootPurposeEvaluation); got != "" || len(f.left()) > 0 {
			t.Errorf("it waits for %q, and these objects are left: %v", got, f.left())
		}
	})
	for name, tc := range map[string]struct {
		enabled bool
		purpose gardencorev1beta1.ShootPurpose
	}{
		"GLT-33 a shoot for tests has none":          {true, gardencorev1beta1.ShootPurposeTesting},
		"GLT-33 it goes when the setting is removed": {false, gardencorev1beta1.ShootPurposeEvaluation},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			_ = f.reconcile(true, gardencorev1beta1.ShootPurposeEvaluation)
			f.giveToken()
			if got := f.reconcile(true, gardencorev1beta1.ShootPurposeEvaluation); got != "" {
				t.Fatal(got)
			}
			if got := f.reconcile(tc.enabled, tc.purpose); got != "" {
				t.Errorf("it waits for %q", got)
			}
			if got := f.left(); len(got) > 0 {
				t.Errorf("these objects are left: %v", got)
			}
		})
	}
}
