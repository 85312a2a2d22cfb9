package rows

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// createProfile creates a CloudProfile like that of every landscape, plus a bundle of certificates, which it returns.
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
	bundle := newBundle(t)
	profile.Metadata = map[string]any{"name": "rows"}
	profile.Spec["caBundle"] = bundle
	text, err := json.Marshal(profile)
	if err != nil {
		t.Fatal(err)
	}
	l.Kubectl(l.Garden(), "create", "-f", l.File("profile.json", string(text)))
	return bundle
}

func newBundle(t *testing.T) string {
	t.Helper()
	pair, err := certificate.SelfSigned(&x509.Certificate{
		Subject: pkix.Name{CommonName: "rows"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(certificate.Encode(pair.Cert))
}
