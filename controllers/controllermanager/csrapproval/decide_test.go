package csrapproval_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/csrapproval"
)

func TestSeedOf(t *testing.T) {
	const seeds, seed = "gardener.cloud:system:seeds", "gardener.cloud:system:seed:local"
	client := []certificatesv1.KeyUsage{certificatesv1.UsageDigitalSignature, certificatesv1.UsageKeyEncipherment, certificatesv1.UsageClientAuth}
	for name, tc := range map[string]struct {
		subject pkix.Name
		dns     []string
		usages  []certificatesv1.KeyUsage
		want    bool
	}{
		"GCM-29 a gardenlet":                {pkix.Name{CommonName: seed, Organization: []string{seeds}}, nil, client, true},
		"GCM-29 another organization":       {pkix.Name{CommonName: seed, Organization: []string{"x"}}, nil, client, false},
		"GCM-29 another name":               {pkix.Name{CommonName: "x", Organization: []string{seeds}}, nil, client, false},
		"GCM-29 no name of a seed":          {pkix.Name{CommonName: "gardener.cloud:system:seed:", Organization: []string{seeds}}, nil, client, false},
		"GCM-29 a server":                   {pkix.Name{CommonName: seed, Organization: []string{seeds}}, nil, append(client, certificatesv1.UsageServerAuth), false},
		"GCM-29 a second organization":      {pkix.Name{CommonName: seed, Organization: []string{seeds, "system:masters"}}, nil, client, false},
		"GCM-29 alternative names":          {pkix.Name{CommonName: seed, Organization: []string{seeds}}, []string{"x"}, client, false},
		"GCM-29 usages that do not suffice": {pkix.Name{CommonName: seed, Organization: []string{seeds}}, nil, client[:1], false},
	} {
		t.Run(name, func(t *testing.T) {
			key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: tc.subject, DNSNames: tc.dns}, key)
			if err != nil {
				t.Fatal(err)
			}
			csr := &certificatesv1.CertificateSigningRequest{Spec: certificatesv1.CertificateSigningRequestSpec{
				Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), Usages: tc.usages,
			}}
			if of, err := csrapproval.SeedOf(csr); (err == nil) != tc.want || tc.want && of != "local" {
				t.Errorf("seed %q, %v", of, err)
			}
		})
	}
}
