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
	"k8s.io/client-go/tools/clientcmd/api"
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

// extensionTokens plays an extension that asks for a token of the garden.
func extensionTokens(t *testing.T, f *fixture) {
	const namespace = "extension-rows"
	f.Kubectl(f.Seed(), "create", "namespace", namespace)
	f.Kubectl(f.Seed(), "apply", "-f", f.File("garden-access.yaml", `
apiVersion: v1
kind: Secret
metadata:
  name: garden-access-extension
  namespace: `+namespace+`
  labels: {resources.gardener.cloud/purpose: token-requestor, resources.gardener.cloud/class: garden}
  annotations: {serviceaccount.resources.gardener.cloud/name: extension-rows}
`))
	token := func() string {
		encoded := f.Kubectl(f.Seed(), "-n", namespace, "get", "secret", "garden-access-extension", "-o", "jsonpath={.data.token}")
		text, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	f.Eventually(time.Minute, "a token", func() (bool, string) { return token() != "", "the Secret has no token" })
	before := token()
	bearer := gardenByToken(t, f, before)
	if user := f.Kubectl(bearer, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"); user != "system:serviceaccount:seed-local:extension-rows" {
		t.Errorf("the garden knows the extension as %q", user)
	}
	if secrets := f.TryKubectl(bearer, "get", "secrets", "-A"); secrets.Code == 0 {
		t.Errorf("the extension reads Secrets of the garden: %s", secrets.Stdout)
	}
	f.Kubectl(f.Garden(), "annotate", "seed", "local", "gardener.cloud/operation=renew-garden-access-secrets")
	f.Eventually(time.Minute, "another token", func() (bool, string) { return token() != before, "the token is the same" })
	f.Eventually(time.Minute, "no annotation", func() (bool, string) {
		left := f.get(f.Garden(), []string{"get", "seed", "local"}, `{.metadata.annotations.gardener\.cloud/operation}`)
		return left == "", left
	})
	f.Kubectl(f.Seed(), "delete", "namespace", namespace)
	f.Eventually(time.Minute, "no service account", func() (bool, string) {
		left := f.Kubectl(f.Garden(), "-n", "seed-local", "get", "serviceaccount", "extension-rows", "--ignore-not-found")
		return left == "", left
	})
}

// gardenByToken is a kubeconfig of the garden with a token as the only credential.
func gardenByToken(t *testing.T, f *fixture, token string) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(f.Garden())
	if err != nil {
		t.Fatal(err)
	}
	for name := range config.AuthInfos {
		config.AuthInfos[name] = &api.AuthInfo{Token: token}
	}
	text, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	return f.File("bearer.yaml", string(text))
}
