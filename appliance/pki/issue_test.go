package pki

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

func TestIssue(t *testing.T) {
	now := time.Now()
	p := New(t.TempDir(), Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, func() time.Time { return now })
	bundle := ensure(t, p)
	t.Run("APP-20 a certificate names its user and ends after its hours", func(t *testing.T) {
		for cluster, file := range map[string]string{GardenCluster: bundle.Garden.ClientCA, SeedCluster: bundle.Seed.ClientCA} {
			issued, err := p.Issue(cluster, User{Name: "somebody", Groups: []string{"operators"}}, 8*time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			cert, err := certificate.Parse(issued.Cert)
			if err != nil {
				t.Fatal(err)
			}
			ca, err := readCertificate(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := cert.CheckSignatureFrom(ca); err != nil {
				t.Error(err)
			}
			if cert.Subject.CommonName != "somebody" || !slices.Equal(cert.Subject.Organization, []string{"operators"}) {
				t.Errorf("subject is %s", cert.Subject)
			}
			if left := cert.NotAfter.Sub(now); left > 8*time.Hour || left < 7*time.Hour || !cert.NotAfter.Equal(issued.Expires) {
				t.Errorf("valid for %s, told %s", left, issued.Expires)
			}
		}
	})
	for name, tc := range map[string]struct {
		cluster  string
		validity time.Duration
		want     string
	}{
		"a minute is too short":               {GardenCluster, time.Minute, "10m0s"},
		"a year is too long":                  {GardenCluster, 365 * 24 * time.Hour, "168h0m0s"},
		"other clusters have no certificates": {"../garden", time.Hour, `"../garden"`},
	} {
		t.Run("APP-20 "+name, func(t *testing.T) {
			if _, err := p.Issue(tc.cluster, User{Name: "somebody"}, tc.validity); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want one with %s", err, tc.want)
			}
		})
	}
}
