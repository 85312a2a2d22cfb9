package managedseed

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/embedded/apihelper/bootstraptoken"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// world is a garden with one ManagedSeed, and the shoot that it means.
type world struct {
	garden, shoot client.Client
	reconciler    *Reconciler
	clock         *clocktesting.FakePassiveClock
	events        *events.FakeRecorder
}

func newWorld(t *testing.T, changes ...func(*gardencorev1beta1.Shoot, *seedmanagementv1alpha1.ManagedSeed)) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	shoot := &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "s"}, Spec: gardencorev1beta1.ShootSpec{SeedName: ptr.To("parent")},
		Status: gardencorev1beta1.ShootStatus{
			TechnicalID: "shoot--garden--s", LastOperation: &gardencorev1beta1.LastOperation{State: gardencorev1beta1.LastOperationStateSucceeded},
		},
	}
	managed := &seedmanagementv1alpha1.ManagedSeed{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "m", Generation: 3},
		Spec:       seedmanagementv1alpha1.ManagedSeedSpec{Shoot: &seedmanagementv1alpha1.Shoot{Name: "s"}, Gardenlet: &seedmanagementv1alpha1.GardenletConfig{}},
	}
	for _, change := range changes {
		change(shoot, managed)
	}
	w := &world{
		garden: fake.NewClientBuilder().WithScheme(scheme).WithObjects(shoot, managed).WithStatusSubresource(managed).Build(),
		shoot:  fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).Build(),
		clock:  clocktesting.NewFakePassiveClock(time.Now()),
		events: events.NewFakeRecorder(10),
	}
	w.reconciler = &Reconciler{
		Garden: w.garden, Reader: w.garden, Connect: func(context.Context, string) (client.Client, error) { return w.shoot, nil },
		Address: bootstrap.Garden{Server: "https://garden.example.org"}, Recorder: w.events, Clock: w.clock, SeedName: "parent", SyncPeriod: time.Hour, WaitPeriod: 15 * time.Second,
	}
	return w
}

// reconcile returns the bootstrap kubeconfig in the shoot; it is empty if there is none.
func (w *world) reconcile(t *testing.T) string {
	t.Helper()
	if _, err := w.reconciler.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "garden", Name: "m"}}); err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{}
	if err := w.shoot.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: "gardenlet-kubeconfig-bootstrap"}, secret); client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return string(secret.Data["kubeconfig"])
}

// token is the one in the garden; it is empty if there is none.
func (w *world) token(t *testing.T) string {
	t.Helper()
	secret := &corev1.Secret{}
	name := bootstraptoken.SecretName(bootstraptoken.ID("garden", "m"))
	if err := w.garden.Get(t.Context(), client.ObjectKey{Namespace: "kube-system", Name: name}, secret); err != nil {
		return ""
	}
	return bootstraptoken.Token(secret)
}

func (w *world) status(t *testing.T) seedmanagementv1alpha1.ManagedSeedStatus {
	t.Helper()
	managed := &seedmanagementv1alpha1.ManagedSeed{}
	if err := w.garden.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: "m"}, managed); err != nil {
		t.Fatal(err)
	}
	return managed.Status
}

func TestInvitation(t *testing.T) {
	w := newWorld(t)
	first := w.reconcile(t)
	t.Run("GCM-24 a gardenlet without a certificate gets a bootstrap token", func(t *testing.T) {
		if token := w.token(t); token == "" || !strings.Contains(first, token) || !strings.Contains(first, "https://garden.example.org") {
			t.Errorf("the kubeconfig is %q", first)
		}
		status := w.status(t)
		if status.ObservedGeneration != 3 {
			t.Errorf("observed generation is %d", status.ObservedGeneration)
		}
		for kind, want := range map[gardencorev1beta1.ConditionType]gardencorev1beta1.ConditionStatus{"ShootReconciled": "True", "SeedRegistered": "False"} {
			if c := conditions.Get(status.Conditions, kind); c == nil || c.Status != want {
				t.Errorf("condition %s is %+v", kind, c)
			}
		}
	})
	t.Run("GCM-24 it keeps the token as long as that is valid", func(t *testing.T) {
		w.clock.SetTime(w.clock.Now().Add(22 * time.Hour))
		if again := w.reconcile(t); again != first {
			t.Error("the token was replaced")
		}
	})
	t.Run("GCM-24 a token that expires is replaced", func(t *testing.T) {
		w.clock.SetTime(w.clock.Now().Add(90 * time.Minute))
		if again := w.reconcile(t); again == first || !strings.Contains(again, w.token(t)) {
			t.Error("the token was not replaced")
		}
	})
	t.Run("GCM-24 a token that nobody has any more is replaced", func(t *testing.T) {
		if err := w.shoot.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "gardenlet-kubeconfig-bootstrap"}}); err != nil {
			t.Fatal(err)
		}
		before := w.token(t)
		if again := w.reconcile(t); again == "" || w.token(t) == before {
			t.Error("the token is the same, or not in the shoot")
		}
	})
	t.Run("GCM-24 the Seed of the gardenlet is told", func(t *testing.T) {
		if err := w.garden.Create(t.Context(), &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "m"}}); err != nil {
			t.Fatal(err)
		}
		w.reconcile(t)
		if c := conditions.Get(w.status(t).Conditions, "SeedRegistered"); c == nil || c.Status != "True" {
			t.Errorf("condition is %+v", c)
		}
	})
}

func TestNoInvitation(t *testing.T) {
	type (
		Shoot   = gardencorev1beta1.Shoot
		Managed = seedmanagementv1alpha1.ManagedSeed
	)
	for name, change := range map[string]func(*Shoot, *Managed){
		"a shoot on another seed is that gardenlet's": func(s *Shoot, _ *Managed) { s.Spec.SeedName = ptr.To("other") },
		"a shoot has to be reconciled first": func(s *Shoot, _ *Managed) {
			s.Status.LastOperation.State = gardencorev1beta1.LastOperationStateProcessing
		},
		"another shoot is not meant":   func(_ *Shoot, m *Managed) { m.Spec.Shoot.Name = "other" },
		"a user may see to the access": func(_ *Shoot, m *Managed) { m.Spec.Gardenlet.Bootstrap = ptr.To(seedmanagementv1alpha1.BootstrapNone) },
		"a Seed without a gardenlet needs none": func(_ *Shoot, m *Managed) {
			m.Spec.Gardenlet, m.Spec.SeedTemplate = nil, &gardencorev1beta1.SeedTemplate{}
		},
	} {
		t.Run("GCM-24 "+name, func(t *testing.T) {
			w := newWorld(t, change)
			if got := w.reconcile(t); got != "" || w.token(t) != "" {
				t.Errorf("the kubeconfig is %q", got)
			}
		})
	}
}

func TestCertificate(t *testing.T) {
	w := newWorld(t)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "gardenlet-kubeconfig"},
		Data:       map[string][]byte{"kubeconfig": kubeconfig(t, "m", w.clock.Now().Add(time.Hour))},
	}
	if err := w.shoot.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	t.Run("GCM-24 a gardenlet with a certificate gets no token", func(t *testing.T) {
		if got := w.reconcile(t); got != "" || w.token(t) != "" {
			t.Errorf("the kubeconfig is %q", got)
		}
	})
	t.Run("GCM-24 a gardenlet whose certificate has expired gets a token", func(t *testing.T) {
		w.clock.SetTime(w.clock.Now().Add(time.Hour))
		if got := w.reconcile(t); got == "" || !strings.Contains(got, w.token(t)) {
			t.Errorf("the kubeconfig is %q", got)
		}
	})
	t.Run("GCM-24 a certificate of another seed is none", func(t *testing.T) {
		w := newWorld(t)
		other := secret.DeepCopy()
		other.ResourceVersion, other.Data = "", map[string][]byte{"kubeconfig": kubeconfig(t, "other", w.clock.Now().Add(time.Hour))}
		if err := w.shoot.Create(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		if got := w.reconcile(t); got == "" {
			t.Error("there is no token")
		}
	})
}

func TestRenewal(t *testing.T) {
	w := newWorld(t, func(_ *gardencorev1beta1.Shoot, m *seedmanagementv1alpha1.ManagedSeed) {
		m.Annotations = map[string]string{"gardener.cloud/operation": "renew-kubeconfig", "other": "stays"}
	})
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "gardenlet-kubeconfig"},
		Data:       map[string][]byte{"kubeconfig": kubeconfig(t, "m", w.clock.Now().Add(time.Hour))},
	}
	if err := w.shoot.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	t.Run("MSD-9 a gardenlet with a certificate gets a token on demand", func(t *testing.T) {
		if got := w.reconcile(t); got == "" || !strings.Contains(got, w.token(t)) {
			t.Errorf("the kubeconfig is %q", got)
		}
		if err := w.shoot.Get(t.Context(), client.ObjectKeyFromObject(secret), &corev1.Secret{}); !apierrors.IsNotFound(err) {
			t.Errorf("the certificate stays: %v", err)
		}
		managed := &seedmanagementv1alpha1.ManagedSeed{}
		if err := w.garden.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: "m"}, managed); err != nil || len(managed.Annotations) != 1 {
			t.Errorf("annotations %v, %v", managed.Annotations, err)
		}
		if managed.Status.ObservedGeneration != 3 {
			t.Errorf("observed generation is %d", managed.Status.ObservedGeneration)
		}
	})
	t.Run("MSD-9 its new certificate stays", func(t *testing.T) {
		secret.ResourceVersion = ""
		if err := w.shoot.Create(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		w.reconcile(t)
		if err := w.shoot.Get(t.Context(), client.ObjectKeyFromObject(secret), &corev1.Secret{}); err != nil {
			t.Error(err)
		}
	})
}

func TestRenewalWithoutEffect(t *testing.T) {
	for name, gardenlet := range map[string]*seedmanagementv1alpha1.GardenletConfig{
		"a gardenlet whose access a user sees to": {Bootstrap: ptr.To(seedmanagementv1alpha1.BootstrapNone)},
		"a Seed without a gardenlet":              nil,
	} {
		t.Run("MSD-9 an event says that the operation has no effect: "+name, func(t *testing.T) {
			w := newWorld(t, func(_ *gardencorev1beta1.Shoot, m *seedmanagementv1alpha1.ManagedSeed) {
				m.Annotations, m.Spec.Gardenlet = map[string]string{"gardener.cloud/operation": "renew-kubeconfig"}, gardenlet
			})
			if got := w.reconcile(t); got != "" {
				t.Errorf("the kubeconfig is %q", got)
			}
			w.reconcile(t)
			if got := len(w.events.Events); got != 1 {
				t.Fatalf("%d events", got)
			}
			if said := <-w.events.Events; !strings.Contains(said, "Warning RenewalImpossible") {
				t.Errorf("event %q", said)
			}
		})
	}
}

// kubeconfig holds a client certificate for the gardenlet of a seed.
func kubeconfig(t *testing.T, seed string, expires time.Time) []byte {
	t.Helper()
	pair, err := certificate.SelfSigned(&x509.Certificate{
		NotBefore: expires.Add(-24 * time.Hour), NotAfter: expires,
		Subject: pkix.Name{CommonName: "gardener.cloud:system:seed:" + seed, Organization: []string{"gardener.cloud:system:seeds"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := pair.PEM()
	if err != nil {
		t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: "https://garden.example.org"}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	text, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
