package resourcemanager_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestStaticTokens uses real static tokens, as Kubernetes' own controller would make them.
func TestStaticTokens(t *testing.T) {
	t.Parallel()
	const name = "real-token"
	skip := map[string]string{"token-invalidator.resources.gardener.cloud/skip": "true"}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: hooked, Name: name, Labels: skip}, AutomountServiceAccountToken: ptr.To(false)}
	if err := target.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	token := staticToken(t, account, name)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: hooked, Name: name, Annotations: map[string]string{corev1.ServiceAccountNameKey: name, corev1.ServiceAccountUIDKey: string(account.UID)}},
		Type:       corev1.SecretTypeServiceAccountToken, Data: map[string][]byte{"token": []byte(token)},
	}
	if err := target.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	t.Run("GRM-26 the token of an account that opted out is good", func(t *testing.T) {
		user, err := whoAmI(t.Context(), token)
		if want := "system:serviceaccount:" + hooked + ":" + name; err != nil || user != want {
			t.Errorf("user = %q, want %q, %v", user, want, err)
		}
	})
	t.Run("GRM-25 an invalidated token is refused with 401", func(t *testing.T) {
		if err := target.Patch(t.Context(), account, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":null}}`))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "401", func(ctx context.Context) error {
			user, err := whoAmI(ctx, token)
			if apierrors.IsUnauthorized(err) {
				return nil
			}
			return fmt.Errorf("user %q, %w", user, err)
		})
	})
}

// TestTokenInvalidatorWebhook has accounts that the controller leaves alone, so that only the webhook can have done it.
func TestTokenInvalidatorWebhook(t *testing.T) {
	t.Parallel()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: hooked, Name: "webhook-only"}}
	if err := target.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	secret := func(name string, labels map[string]string) *corev1.Secret {
		return &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: hooked, GenerateName: name, Labels: labels, Annotations: map[string]string{corev1.ServiceAccountNameKey: account.Name}},
			Type:       corev1.SecretTypeServiceAccountToken, Data: map[string][]byte{"token": []byte("valid"), "ca.crt": []byte("ca")},
		}
	}
	t.Run("GRM-25 a labelled token is invalid from the beginning", func(t *testing.T) {
		eventually(t, "invalid", func(ctx context.Context) error {
			s := secret("considered-", map[string]string{"token-invalidator.resources.gardener.cloud/consider": "true"})
			if err := target.Create(ctx, s); err != nil {
				return err
			}
			if !bytes.Equal(s.Data["token"], []byte{0, 0, 0}) || string(s.Data["ca.crt"]) != "ca" {
				return errors.Join(fmt.Errorf("data = %v", s.Data), target.Delete(ctx, s))
			}
			return nil
		})
	})
	t.Run("GRM-25 others are stored as they are", func(t *testing.T) {
		s := secret("plain-", nil)
		if err := target.Create(t.Context(), s); err != nil || string(s.Data["token"]) != "valid" {
			t.Errorf("data = %v, %v", s.Data, err)
		}
	})
}

// staticToken signs what Kubernetes puts into Secrets of service accounts.
func staticToken(t *testing.T, account *corev1.ServiceAccount, secret string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(env.Dir, "sa.key"))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(raw)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		if key, err = x509.ParseECPrivateKey(block.Bytes); err != nil {
			t.Fatal(err)
		}
	}
	algorithm := "ES256"
	if _, isRSA := key.(*rsa.PrivateKey); isRSA {
		algorithm = "RS256"
	}
	encode := func(content map[string]any) string {
		raw, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	const prefix = "kubernetes.io/serviceaccount"
	signed := encode(map[string]any{"alg": algorithm, "typ": "JWT"}) + "." + encode(map[string]any{
		"iss": "kubernetes/serviceaccount", "sub": "system:serviceaccount:" + account.Namespace + ":" + account.Name,
		prefix + "/namespace": account.Namespace, prefix + "/secret.name": secret,
		prefix + "/service-account.name": account.Name, prefix + "/service-account.uid": string(account.UID),
	})
	return signed + "." + base64.RawURLEncoding.EncodeToString(sign(t, key, sha256.Sum256([]byte(signed))))
}

func sign(t *testing.T, key any, sum [32]byte) []byte {
	t.Helper()
	var (
		signature []byte
		err       error
	)
	switch key := key.(type) {
	case *ecdsa.PrivateKey: // two numbers of 32 bytes, not their ASN.1 form
		r, s, signErr := ecdsa.Sign(rand.Reader, key, sum[:])
		if err = signErr; err == nil {
			signature = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
		}
	case *rsa.PrivateKey:
		signature, err = rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	default:
		err = fmt.Errorf("key is a %T", key)
	}
	if err != nil {
		t.Fatal(err)
	}
	return signature
}

// whoAmI asks the API server as the bearer of a token.
func whoAmI(ctx context.Context, token string) (string, error) {
	config := rest.AnonymousClientConfig(env.Config)
	config.BearerToken = token
	c, err := client.New(config, client.Options{Scheme: target.Scheme(), Mapper: target.RESTMapper()})
	if err != nil {
		return "", err
	}
	review := &authenticationv1.SelfSubjectReview{}
	err = c.Create(ctx, review)
	return review.Status.UserInfo.Username, err
}
