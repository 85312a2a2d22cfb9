package resourcemanager_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

func TestTokenRequestor(t *testing.T) {
	t.Parallel()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: "shoot-access-test", Labels: map[string]string{"resources.gardener.cloud/purpose": "token-requestor"},
		Annotations: map[string]string{
			"serviceaccount.resources.gardener.cloud/name":                      "tester",
			"serviceaccount.resources.gardener.cloud/namespace":                 "other",
			"serviceaccount.resources.gardener.cloud/token-expiration-duration": "1h",
			"token-requestor.resources.gardener.cloud/target-secret-name":       "copy",
			"token-requestor.resources.gardener.cloud/target-secret-namespace":  "other",
		},
	}}
	if err := target.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	eventually(t, "token", func(ctx context.Context) error {
		err := target.Get(ctx, client.ObjectKeyFromObject(secret), secret)
		if err == nil && len(secret.Data["token"]) == 0 {
			err = errors.New("secret has no token")
		}
		return err
	})
	t.Run("GRM-27 the token is that of the service account", func(t *testing.T) {
		review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: string(secret.Data["token"])}}
		if err := target.Create(t.Context(), review); err != nil {
			t.Fatal(err)
		}
		if review.Status.User.Username != "system:serviceaccount:other:tester" {
			t.Errorf("user = %+v", review.Status)
		}
	})
	t.Run("GRM-30 the time of renewal is noted", func(t *testing.T) {
		at, err := time.Parse(time.RFC3339, secret.Annotations["serviceaccount.resources.gardener.cloud/token-renew-timestamp"])
		if left := time.Until(at); err != nil || left < 46*time.Minute || left > 49*time.Minute {
			t.Errorf("renewal in %s, %v; want in 48 minutes", left, err)
		}
	})
	t.Run("GRM-31 the token is copied to the target", func(t *testing.T) {
		eventually(t, "copy", func(ctx context.Context) error {
			duplicate := &corev1.Secret{}
			err := target.Get(ctx, client.ObjectKey{Namespace: "other", Name: "copy"}, duplicate)
			if err == nil && string(duplicate.Data["token"]) != string(secret.Data["token"]) {
				err = errors.New("tokens differ")
			}
			return err
		})
	})
	t.Run("GRM-30 a token that is due is replaced", func(t *testing.T) {
		old := string(secret.Data["token"])
		due := `{"metadata":{"annotations":{"serviceaccount.resources.gardener.cloud/token-renew-timestamp":"2020-01-01T00:00:00Z"}}}`
		eventually(t, "new token", func(ctx context.Context) error {
			err := target.Get(ctx, client.ObjectKeyFromObject(secret), secret)
			if err != nil || string(secret.Data["token"]) != old {
				return err
			}
			// It is made due again and again, since tokens of the same second are equal.
			if err := target.Patch(ctx, secret, client.RawPatch("application/merge-patch+json", []byte(due))); err != nil {
				return err
			}
			return errors.New("still the old token")
		})
	})
}

func TestCSRApprover(t *testing.T) {
	t.Parallel()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}
	if err := target.Create(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.64.1.1"}, {Type: corev1.NodeHostName, Address: "node-1"}}
	if err := target.Status().Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	waiting := requestCertificate(t, "waiting", "127.64.1.1", certificatesv1.UsageServerAuth)
	always(t, "a node without machine gets no certificate", func(ctx context.Context) error { return verdict(ctx, waiting, "") })
	machine := &machinev1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "m-1", Labels: map[string]string{"node": "node-1"}}}
	if err := target.Create(t.Context(), machine); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		csr  string
		want certificatesv1.RequestConditionType
	}{
		"a node with a machine gets a certificate": {waiting, certificatesv1.CertificateApproved},
		"an address of another node is denied":     {requestCertificate(t, "foreign", "127.64.9.9", certificatesv1.UsageServerAuth), certificatesv1.CertificateDenied},
	} {
		t.Run(name, func(t *testing.T) {
			eventually(t, "verdict", func(ctx context.Context) error { return verdict(ctx, tc.csr, tc.want) })
		})
	}
}

func verdict(ctx context.Context, name string, want certificatesv1.RequestConditionType) error {
	csr := &certificatesv1.CertificateSigningRequest{}
	if err := target.Get(ctx, client.ObjectKey{Name: name}, csr); err != nil {
		return err
	}
	var got certificatesv1.RequestConditionType
	for _, condition := range csr.Status.Conditions {
		got = condition.Type
	}
	if got != want {
		return fmt.Errorf("verdict is %q, want %q: %+v", got, want, csr.Status.Conditions)
	}
	return nil
}

// requestCertificate asks as the kubelet of node-1 and returns the name of the request.
func requestCertificate(t *testing.T, name, address string, usage certificatesv1.KeyUsage) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject:  pkix.Name{CommonName: "system:node:node-1", Organization: []string{"system:nodes"}},
		DNSNames: []string{"node-1"}, IPAddresses: []net.IP{net.ParseIP(address)},
	}, key)
	if err != nil {
		t.Fatal(err)
	}
	config, err := env.ConfigFor("system:node:node-1", "system:nodes", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	kubelet, err := client.New(config, client.Options{Scheme: target.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	csr := &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			SignerName: certificatesv1.KubeletServingSignerName, Usages: []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, usage},
			Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
		},
	}
	if err := kubelet.Create(t.Context(), csr); err != nil {
		t.Fatal(err)
	}
	return csr.Name
}
