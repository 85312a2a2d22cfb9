package servers

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

func TestReasonOfAbsence(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	pair, err := certificate.SelfSigned(&x509.Certificate{Subject: pkix.Name{CommonName: "sun"}, NotAfter: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := pair.PEM()
	if err != nil {
		t.Fatal(err)
	}
	const namespace = "shoot--sky--sun"
	seed := fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		&extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Spec: extensionsv1alpha1.ClusterSpec{Shoot: runtime.RawExtension{
			Raw: []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"namespace":"garden-sky","name":"sun"},"spec":{"hibernation":{"enabled":true}}}`),
		}}},
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "server", Labels: map[string]string{"managed-by": "secrets-manager", "name": "kube-apiserver"}},
			Data:       map[string][]byte{"tls.crt": cert, "tls.key": key},
		},
	).Build()
	for choice, want := range map[string]string{
		"":                 `"gardener shoot wake garden-sky/sun"`,
		" --landscape two": `"gardener shoot wake garden-sky/sun --landscape two"`,
	} {
		t.Run("APP-2 the command that wakes a shoot names the landscape"+choice, func(t *testing.T) {
			a := &absences{seed: seed, choice: choice, log: logr.Discard(), known: map[string]absence{}}
			if found := a.ask(t.Context(), namespace); !found.asleep || !strings.Contains(found.Reason, want) {
				t.Errorf("said %q, want %s", found.Reason, want)
			}
		})
	}
}
