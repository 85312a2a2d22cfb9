package integration

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	authentication "github.com/gardener-up/gardener-up/embedded/apis/authentication/v1alpha1"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
)

var errNotYet = errors.New("not yet")

func eventually(t *testing.T, check func() error) {
	t.Helper()
	garden.Until(t, "the garden", func(context.Context) error { return check() })
}

// reachableShoot is a shoot with addresses and certificate authorities.
func reachableShoot(t *testing.T) *core.Shoot {
	t.Helper()
	s := shoot(t)
	merge(t, s, `{"status":{"advertisedAddresses":[{"name":"external","url":"https://api.s.p.example.org"},{"name":"internal","url":"https://api.s.p.internal.example.org"},{"name":"service-account-issuer","url":"https://issuer.example.org"}]}}`, "status")
	authority := newAuthority(t)
	create(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: s.Name + ".ca-cluster", Namespace: s.Namespace}, Data: map[string]string{"ca.crt": "the bundle"}})
	create(t, &core.InternalSecret{ObjectMeta: metav1.ObjectMeta{Name: s.Name + ".ca-client", Namespace: s.Namespace}, Data: authority})
	return s
}

// newAuthority borrows the serving certificate of a test PKI: any key can sign here.
func newAuthority(t *testing.T) map[string][]byte {
	t.Helper()
	pki, err := testpki.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := pki.Client("a client CA")
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"ca.crt": cert, "ca.key": key}
}

func request(t *testing.T, c client.Client, s *core.Shoot, seconds *int64) (*authentication.AdminKubeconfigRequest, error) {
	t.Helper()
	if err := authentication.AddToScheme(c.Scheme()); err != nil {
		t.Fatal(err)
	}
	body := &authentication.AdminKubeconfigRequest{Spec: authentication.AdminKubeconfigRequestSpec{ExpirationSeconds: seconds}}
	return body, c.SubResource("adminkubeconfig").Create(t.Context(), s, body)
}

func clientCertificate(t *testing.T, kubeconfig []byte) *x509.Certificate {
	t.Helper()
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(config.AuthInfos[config.Contexts[config.CurrentContext].AuthInfo].ClientCertificateData)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func TestAdminKubeconfig(t *testing.T) {
	s := reachableShoot(t)
	answer, err := request(t, admin(t), s, ptr.To[int64](1200))
	if err != nil {
		t.Fatal(err)
	}
	cert := clientCertificate(t, answer.Status.Kubeconfig)

	t.Run("AKC-2 the answer tells when it ends", func(t *testing.T) {
		if !answer.Status.ExpirationTimestamp.Time.Equal(cert.NotAfter) {
			t.Errorf("answer says %s, certificate %s", answer.Status.ExpirationTimestamp, cert.NotAfter)
		}
		if left := time.Until(cert.NotAfter); left < 19*time.Minute || left > 20*time.Minute {
			t.Errorf("ends in %s, want 20m", left)
		}
	})
	t.Run("AKC-2 the answer has the kubeconfig by its old name and its new one", func(t *testing.T) {
		if len(answer.Status.KubeConfig) == 0 || !bytes.Equal(answer.Status.KubeConfig, answer.Status.Kubeconfig) {
			t.Errorf("kubeConfig has %d bytes, kubeconfig %d", len(answer.Status.KubeConfig), len(answer.Status.Kubeconfig))
		}
	})
	t.Run("AKC-3 the certificate is the user's", func(t *testing.T) {
		if cert.Subject.CommonName != "admin" || len(cert.Subject.Organization) != 1 || cert.Subject.Organization[0] != "system:masters" {
			t.Errorf("subject is %s", cert.Subject)
		}
		if cert.PublicKeyAlgorithm != x509.RSA {
			t.Errorf("gardenlogin accepts RSA keys only, this one is %s", cert.PublicKeyAlgorithm)
		}
	})
	t.Run("AKC-5 every address of the API server has a context", func(t *testing.T) {
		config, err := clientcmd.Load(answer.Status.Kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		first := s.Namespace + "--" + s.Name + "-external"
		if config.CurrentContext != first || len(config.Contexts) != 2 || config.Clusters[first].Server != "https://api.s.p.example.org" {
			t.Errorf("current context %q of %d, server %q", config.CurrentContext, len(config.Contexts), config.Clusters[first].Server)
		}
		if string(config.Clusters[first].CertificateAuthorityData) != "the bundle" {
			t.Errorf("CA is %q", config.Clusters[first].CertificateAuthorityData)
		}
	})
	t.Run("AKC-4 longer requests are lowered, AKC-1 without a wish it is an hour", func(t *testing.T) {
		// The test's CA lives for a day, too, so that either limit gives this result.
		for seconds, want := range map[int64]time.Duration{48 * 3600: 24 * time.Hour, 3600: time.Hour} {
			answer, err := request(t, admin(t), s, &seconds)
			if err != nil {
				t.Fatal(err)
			}
			if left := time.Until(answer.Status.ExpirationTimestamp.Time); left > want || left < want-time.Minute {
				t.Errorf("asked for %ds, got %s", seconds, left)
			}
		}
		answer, err := request(t, admin(t), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if left := time.Until(answer.Status.ExpirationTimestamp.Time); left > time.Hour || left < 59*time.Minute {
			t.Errorf("got %s", left)
		}
	})
	t.Run("AKC-1 too short a time is refused", func(t *testing.T) {
		_, err := request(t, admin(t), s, ptr.To[int64](599))
		wantStatus(t, err, 422, "spec.expirationSeconds")
	})
	t.Run("AKC-1 it cannot be read", func(t *testing.T) {
		err := admin(t).SubResource("adminkubeconfig").Get(t.Context(), s, &authentication.AdminKubeconfigRequest{})
		wantStatus(t, err, 405, "")
	})
	t.Run("AKC-6 a shoot without CA or addresses gives a clear error", func(t *testing.T) {
		young := shoot(t)
		_, err := request(t, admin(t), young, nil)
		wantStatus(t, err, 422, "advertised addresses")
		merge(t, young, `{"status":{"advertisedAddresses":[{"name":"external","url":"https://api"}]}}`, "status")
		_, err = request(t, admin(t), young, nil)
		wantStatus(t, err, 500, young.Name)
	})
	t.Run("AKC-8 members may, viewers may not", func(t *testing.T) {
		member := user(t, "a-member", s.Namespace, "gardener.cloud:system:project-member-aggregation")
		answer, err := request(t, member, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if name := clientCertificate(t, answer.Status.Kubeconfig).Subject.CommonName; name != "a-member" {
			t.Errorf("certificate is for %q", name)
		}
		viewer := user(t, "a-viewer", s.Namespace, "gardener.cloud:system:project-viewer-aggregation")
		_, err = request(t, viewer, s, nil)
		wantStatus(t, err, 403, "adminkubeconfig")
	})
}
