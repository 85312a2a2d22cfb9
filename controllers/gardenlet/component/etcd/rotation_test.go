package etcd

import (
	"bytes"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// TestAuthoritiesDuringRotation is about API servers that keep running while their etcd is restarted.
func TestAuthoritiesDuringRotation(t *testing.T) {
	const namespace = "shoot--sky--sun"
	cluster := fake.NewClientBuilder().Build()
	generate := func(rotated bool, options ...secretsmanager.Option) (*secretsmanager.Manager, Secrets) {
		t.Helper()
		rotations := map[string]time.Time{}
		if rotated {
			rotations[constants.SecretNameCAETCD] = time.Unix(4000, 0)
		}
		sm, err := secretsmanager.New(t.Context(), secretsmanager.Settings{
			Reader: cluster, Writer: cluster, Clock: clocktesting.NewFakePassiveClock(time.Unix(5000, 0)), Namespace: namespace, Identity: "test", Rotations: rotations,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{constants.SecretNameCAETCD, constants.SecretNameCAETCDPeer} {
			ca := secretsmanager.Certificate{Name: name, CommonName: name, Usage: secretsmanager.CA}
			if _, err := sm.Generate(t.Context(), ca, append(options, secretsmanager.Rotate(secretsmanager.KeepOld))...); err != nil {
				t.Fatal(err)
			}
		}
		secrets, err := GenerateSecrets(t.Context(), sm, Main)
		if err != nil {
			t.Fatal(err)
		}
		return sm, secrets
	}
	signedBy := func(name string, ca *corev1.Secret) bool {
		t.Helper()
		secret := &corev1.Secret{}
		if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, secret); err != nil {
			t.Fatal(err)
		}
		leaf, err := certificate.Parse(secret.Data[secretsmanager.KeyCert])
		if err != nil {
			t.Fatal(err)
		}
		authority, err := certificate.Parse(ca.Data[secretsmanager.KeyCACert])
		if err != nil {
			t.Fatal(err)
		}
		return leaf.CheckSignatureFrom(authority) == nil && bytes.Equal(leaf.AuthorityKeyId, authority.SubjectKeyId)
	}
	generate(false)
	t.Run("CAR-11 in the first phase clients have new certificates, and servers the old ones", func(t *testing.T) {
		sm, secrets := generate(true)
		current, old := sm.Current(constants.SecretNameCAETCD), sm.Old(constants.SecretNameCAETCD)
		if !signedBy(secrets.Server, old) || !signedBy(secrets.Client, current) {
			t.Errorf("server certificate by the old authority: %t, client certificate by the new one: %t", signedBy(secrets.Server, old), signedBy(secrets.Client, current))
		}
	})
	t.Run("CAR-11 in the second phase all are new", func(t *testing.T) {
		sm, secrets := generate(true, secretsmanager.IgnoreOld())
		current := sm.Current(constants.SecretNameCAETCD)
		if !signedBy(secrets.Server, current) || !signedBy(secrets.Client, current) {
			t.Error("a certificate is not signed by the new authority")
		}
	})
}
