package asleep

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

const namespace = "shoot--sky--sun"

func cluster(hibernated string) *extensionsv1alpha1.Cluster {
	return &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Spec: extensionsv1alpha1.ClusterSpec{Shoot: runtime.RawExtension{
		Raw: []byte(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"namespace":"garden-sky","name":"sun"},"spec":{"hibernation":{"enabled":` + hibernated + `}}}`),
	}}}
}

func secret(t *testing.T, name string, created time.Time) *corev1.Secret {
	t.Helper()
	pair, err := certificate.SelfSigned(&x509.Certificate{Subject: pkix.Name{CommonName: name}, NotAfter: created.Add(24 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := pair.PEM()
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, CreationTimestamp: metav1.NewTime(created), Labels: map[string]string{"managed-by": "secrets-manager", "name": "kube-apiserver"}},
		Data:       map[string][]byte{"tls.crt": cert, "tls.key": key},
	}
}

func TestFind(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	now := time.Now().Truncate(time.Second)
	old, current := secret(t, "old", now.Add(-time.Hour)), secret(t, "new", now)
	for name, tc := range map[string]struct {
		objects []client.Object
		found   bool
	}{
		"GLT-40 a shoot that sleeps, with its newest certificate": {[]client.Object{cluster("true"), current, old}, true},
		"GLT-40 a shoot that is awake":                            {[]client.Object{cluster("false"), current}, false},
		"GLT-40 a shoot that was created asleep":                  {[]client.Object{cluster("true")}, false},
		"GLT-40 a namespace of no shoot":                          {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			seed := fake.NewClientBuilder().WithScheme(scheme).WithObjects(tc.objects...).Build()
			server, err := Find(t.Context(), seed, namespace)
			if err != nil || (server != nil) != tc.found {
				t.Fatalf("%v, %v", server, err)
			}
			if server == nil {
				return
			}
			leaf, err := x509.ParseCertificate(server.Certificate.Certificate[0])
			if err != nil || leaf.Subject.CommonName != "new" || server.Shoot.String() != "garden-sky/sun" {
				t.Errorf("%v, %v, %v", server.Shoot, leaf.Subject, err)
			}
		})
	}
}
