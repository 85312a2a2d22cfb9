package pki_test

import (
	"os"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

func TestFurtherNames(t *testing.T) {
	dir := t.TempDir()
	open := func() *pki.PKI {
		return pki.New(dir, pki.Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, time.Now)
	}
	valid := func(t *testing.T, keys *pki.PKI, want map[string]bool) {
		t.Helper()
		bundle, err := keys.Ensure()
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(bundle.Garden.Server.Cert)
		if err != nil {
			t.Fatal(err)
		}
		cert, err := certificate.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for name, wanted := range want {
			if err := cert.VerifyHostname(name); (err == nil) != wanted {
				t.Errorf("the certificate of the garden for %s: %v", name, err)
			}
		}
	}
	keys := open()
	valid(t, keys, map[string]bool{"api.example.org": true, "api.old.example.org": false})
	t.Run("OPR-13 the certificate gets further names, and keeps them after a restart", func(t *testing.T) {
		if err := keys.SetFurtherNames([]string{"api.older.example.org", "api.old.example.org"}); err != nil {
			t.Fatal(err)
		}
		for _, one := range []*pki.PKI{keys, open()} {
			valid(t, one, map[string]bool{"api.example.org": true, "api.old.example.org": true, "api.older.example.org": true, "api.other.example.org": false})
			if names, err := one.FurtherNames(); err != nil || len(names) != 2 {
				t.Errorf("names %v, %v", names, err)
			}
		}
	})
	t.Run("OPR-13 a name that goes is in no certificate", func(t *testing.T) {
		if err := keys.SetFurtherNames(nil); err != nil {
			t.Fatal(err)
		}
		valid(t, keys, map[string]bool{"api.example.org": true, "api.old.example.org": false})
	})
}
