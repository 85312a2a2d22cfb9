package bootstrap

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

func someCredential(t *testing.T, subject pkix.Name, from, to time.Time) *credential {
	t.Helper()
	pair, err := certificate.SelfSigned(&x509.Certificate{Subject: subject, NotBefore: from, NotAfter: to})
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := pair.PEM()
	if err != nil {
		t.Fatal(err)
	}
	made, err := newCredential(Garden{Server: "https://garden.example.org", CA: cert}, cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestDue(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	for name, tc := range map[string]struct {
		from, to, want time.Time
	}{
		"GLT-4 a certificate for ten minutes is renewed after eight": {now.Add(-backdate), now.Add(10 * time.Minute), now.Add(8 * time.Minute)},
		"GLT-4 a certificate for a minute is not renewed at once":    {now.Add(-backdate), now.Add(time.Minute), now.Add(48 * time.Second)},
		"GLT-4 a certificate that is not backdated is renewed, too":  {now, now.Add(time.Minute), now.Add(48 * time.Second)},
		"GLT-4 a certificate for a year is renewed after 292 days":   {now.Add(-backdate), now.Add(365 * 24 * time.Hour), now.Add(292 * 24 * time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := someCredential(t, pkix.Name{}, tc.from, tc.to).after(0.8); !got.Equal(tc.want) {
				t.Errorf("renewed %s after now, want %s", got.Sub(now), tc.want.Sub(now))
			}
		})
	}
	t.Run("GLT-4 the configuration chooses the share", func(t *testing.T) {
		if from, to := shares(nil); from != 0.7 || to != 0.9 {
			t.Errorf("from %v to %v", from, to)
		}
		configured := &config.KubeconfigValidity{AutoRotationJitterPercentageMin: ptr.To[int32](60), AutoRotationJitterPercentageMax: ptr.To[int32](80)}
		if from, to := shares(configured); from != 0.6 || to != 0.8 {
			t.Errorf("from %v to %v", from, to)
		}
	})
}

func TestOpenNeedsAPlace(t *testing.T) {
	t.Run("GLT-4 without a Secret for its kubeconfig a gardenlet requests no certificate", func(t *testing.T) {
		// There are no clients, so a request would end the test.
		if _, err := Open(t.Context(), Inputs{}); err == nil || !strings.Contains(err.Error(), "kubeconfigSecret") {
			t.Errorf("error is %v", err)
		}
	})
}

func TestKubeconfig(t *testing.T) {
	const group = "gardener.cloud:system:seeds"
	for name, tc := range map[string]struct {
		subject pkix.Name
		wrong   string
	}{
		"GLT-3 the certificate of the seed is taken": {pkix.Name{CommonName: userOf("a"), Organization: []string{group}}, ""},
		"GLT-3 that of another seed is not":          {pkix.Name{CommonName: userOf("b"), Organization: []string{group}}, "not for"},
		"GLT-3 that of an administrator is not":      {pkix.Name{CommonName: userOf("a"), Organization: []string{"system:masters"}}, "not for"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := someCredential(t, tc.subject, time.Now(), time.Now().Add(time.Hour)).kubeconfig()
			if err != nil {
				t.Fatal(err)
			}
			got, err := parse(text, "a")
			if tc.wrong == "" && (err != nil || got.garden.Server != "https://garden.example.org") || tc.wrong != "" && (err == nil || !strings.Contains(err.Error(), tc.wrong)) {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("GLT-1 a stored kubeconfig runs no programs", func(t *testing.T) {
		_, err := parse([]byte(`{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],
			"clusters":[{"name":"a","cluster":{"server":"https://a"}}],"users":[{"name":"a","user":{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"sh"}}}]}`), "a")
		if err == nil || !strings.Contains(err.Error(), "program") {
			t.Errorf("error %v", err)
		}
	})
}
