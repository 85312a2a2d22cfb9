package rows

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// createProfile makes a CloudProfile like the one every landscape has, with a bundle of certificates, which it returns.
func createProfile(t *testing.T, l *framework.Landscape) string {
	t.Helper()
	var profile struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   map[string]any `json:"metadata"`
		Spec       map[string]any `json:"spec"`
	}
	if err := json.Unmarshal([]byte(l.Kubectl(l.Garden(), "get", "cloudprofile", "local", "-o", "json")), &profile); err != nil {
		t.Fatal(err)
	}
	bundle := certificate(t)
	profile.Metadata = map[string]any{"name": "rows"}
	profile.Spec["caBundle"] = bundle
	text, err := json.Marshal(profile)
	if err != nil {
		t.Fatal(err)
	}
	l.Kubectl(l.Garden(), "create", "-f", l.File("profile.json", string(text)))
	return bundle
}

func certificate(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "rows"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
