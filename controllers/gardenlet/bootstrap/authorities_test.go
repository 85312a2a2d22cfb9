package bootstrap

import (
	"bytes"
	"crypto/x509/pkix"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

func TestAuthorities(t *testing.T) {
	var published string // empty: there is none
	garden := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/namespaces/kube-public/configmaps/kube-root-ca.crt" || published == "" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Data: map[string]string{"ca.crt": published}})
	}))
	t.Cleanup(garden.Close)
	known := Garden{Server: garden.URL, CA: certificate.Encode(garden.Certificate())}
	made := someCredential(t, pkix.Name{CommonName: userOf("local")}, time.Now().Add(-time.Minute), time.Now().Add(time.Hour))
	both := string(known.CA) + string(certificate.Encode(made.leaf))
	for name, tc := range map[string]struct{ published, want string }{
		"OPR-30 a new kubeconfig has the authorities that the garden publishes": {both, both},
		"OPR-30 a garden that publishes none is trusted as before":              {"", string(known.CA)},
		"OPR-30 what is no certificate is not taken":                            {"half", string(known.CA)},
	} {
		t.Run(name, func(t *testing.T) {
			published = tc.published
			if got := authorities(t.Context(), known, made.cert, made.key); !bytes.Equal(got, []byte(tc.want)) {
				t.Errorf("authorities %s", got)
			}
		})
	}
	t.Run("OPR-30 a garden whose authorities rotate is read again", func(t *testing.T) {
		rotating := Garden{CA: []byte("former"), Latest: func() ([]byte, error) { return []byte("both"), nil }}
		if now, err := rotating.Now(); err != nil || string(now.CA) != "both" {
			t.Errorf("authorities %s: %v", now.CA, err)
		}
		if now, err := known.Now(); err != nil || !bytes.Equal(now.CA, known.CA) {
			t.Errorf("authorities %s: %v", now.CA, err)
		}
	})
}
