package tokenkeys

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"gopkg.in/go-jose/go-jose.v2/jwt"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

type listener struct{ told int }

func (l *listener) Enqueue() { l.told++ }

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// newKey writes a key as the one that signs, and returns it and its public key as a file has it.
func newKey(t *testing.T, file string) []byte {
	t.Helper()
	key, err := certificate.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	text, err := certificate.EncodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, text)
	return public(t, key)
}

func public(t *testing.T, key *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func TestKeys(t *testing.T) {
	dir := t.TempDir()
	signing, former := filepath.Join(dir, "signing.key"), filepath.Join(dir, "former")
	keys := New("https://issuer.example.org", signing, former)
	if err := keys.Load(); err == nil {
		t.Error("no error without a key")
	}
	if _, err := keys.GenerateToken(t.Context(), &jwt.Claims{}, nil); err == nil {
		t.Error("a token without a key")
	}
	first := newKey(t, signing)
	told := &listener{}
	keys.AddListener(told)
	load := func() {
		t.Helper()
		if err := keys.Load(); err != nil {
			t.Fatal(err)
		}
	}
	token := func() *jwt.JSONWebToken {
		t.Helper()
		text, err := keys.GenerateToken(t.Context(), &jwt.Claims{Subject: "somebody"}, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := jwt.ParseSigned(text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	accepted := func(token *jwt.JSONWebToken) bool {
		t.Helper()
		for _, key := range keys.GetPublicKeys(t.Context(), token.Headers[0].KeyID) {
			claims := jwt.Claims{}
			if err := token.Claims(key.PublicKey, &claims); err == nil {
				return claims.Issuer == "https://issuer.example.org" && claims.Subject == "somebody"
			}
		}
		return false
	}
	load()
	old := token()
	newKey(t, signing)
	write(t, former, first)
	load()
	renewed := token()
	t.Run("OPR-29 tokens of both keys are accepted between the phases", func(t *testing.T) {
		if old.Headers[0].KeyID == renewed.Headers[0].KeyID || !accepted(old) || !accepted(renewed) {
			t.Errorf("the token before is accepted: %v, the one after: %v", accepted(old), accepted(renewed))
		}
		if all := keys.GetPublicKeys(t.Context(), ""); len(all) != 2 || told.told != 2 {
			t.Errorf("%d keys are published, listeners were told %d times", len(all), told.told)
		}
	})
	t.Run("OPR-29 files that cannot be read change nothing", func(t *testing.T) {
		write(t, former, []byte("half"))
		if err := keys.Load(); err == nil || !accepted(old) || !accepted(renewed) {
			t.Errorf("error %v; the token before is accepted: %v, the one after: %v", err, accepted(old), accepted(renewed))
		}
	})
	t.Run("OPR-29 at the end only the new key counts", func(t *testing.T) {
		if err := os.Remove(former); err != nil {
			t.Fatal(err)
		}
		load()
		if accepted(old) || !accepted(renewed) {
			t.Errorf("the token before is accepted: %v, the one after: %v", accepted(old), accepted(renewed))
		}
	})
}
