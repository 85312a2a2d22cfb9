package rows

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

// gardenletKubeconfig is what the gardenlet of the seed keeps.
func gardenletKubeconfig(t *testing.T, f *fixture) ([]byte, *x509.Certificate) {
	t.Helper()
	encoded := f.Kubectl(f.Seed(), "-n", "garden", "get", "secret", "gardenlet-kubeconfig", "-o", "jsonpath={.data.kubeconfig}")
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(text)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(config.CertData)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return text, cert
}

func gardenletAccess(t *testing.T, f *fixture) {
	text, cert := gardenletKubeconfig(t, f)
	if cert.Subject.CommonName != "gardener.cloud:system:seed:local" || strings.Join(cert.Subject.Organization, " ") != "gardener.cloud:system:seeds" {
		t.Errorf("certificate is for %s", cert.Subject)
	}
	if end := f.get(f.Garden(), []string{"get", "seed", "local"}, "{.status.clientCertificateExpirationTimestamp}"); end != cert.NotAfter.UTC().Format(time.RFC3339) {
		t.Errorf("the seed says %s, the certificate ends at %s", end, cert.NotAfter.UTC())
	}
	if csrs := f.Kubectl(f.Garden(), "get", "csr"); !strings.Contains(csrs, "seed-csr-") || !strings.Contains(csrs, "Approved,Issued") {
		t.Errorf("certificate requests:\n%s", csrs)
	}
	if left := f.Kubectl(f.Seed(), "-n", "garden", "get", "secrets", "--ignore-not-found", "gardenlet-kubeconfig-bootstrap"); left != "" {
		t.Errorf("the bootstrap token stays: %s", left)
	}
	file := filepath.Join(t.TempDir(), "gardenlet")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if user := f.Kubectl(file, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"); user != "gardener.cloud:system:seed:local" {
		t.Errorf("the garden knows it as %q", user)
	}
}

func gardenletRenewals(t *testing.T, f *fixture) {
	renewed := func(t *testing.T, order func()) {
		t.Helper()
		_, before := gardenletKubeconfig(t, f)
		order()
		f.Eventually(2*time.Minute, "another certificate", func() (bool, string) {
			_, after := gardenletKubeconfig(t, f)
			return after.SerialNumber.Cmp(before.SerialNumber) != 0, "the certificate is the same"
		})
	}
	t.Run("GLT-7 on demand by the Seed", func(t *testing.T) {
		renewed(t, func() {
			f.Kubectl(f.Garden(), "annotate", "seed", "local", "gardener.cloud/operation=renew-kubeconfig")
		})
		f.Eventually(time.Minute, "no annotation", func() (bool, string) {
			left := f.get(f.Garden(), []string{"get", "seed", "local"}, `{.metadata.annotations.gardener\.cloud/operation}`)
			return left == "", left
		})
	})
	t.Run("GLT-5 on demand by the Secret", func(t *testing.T) {
		renewed(t, func() {
			f.Kubectl(f.Seed(), "-n", "garden", "annotate", "secret", "gardenlet-kubeconfig", "gardener.cloud/operation=renew")
			f.Gardener("part", "stop", "gardenlet")
			f.Gardener("part", "start", "gardenlet")
		})
	})
}
