package settings

import (
	"bytes"
	"encoding/base64"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// withToken is the kubeconfig with a token in place of its credentials.
func withToken(t *testing.T, kubeconfig, token string) string {
	t.Helper()
	config, err := clientcmd.Load([]byte(kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	for name := range config.AuthInfos {
		config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	}
	text, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// runtimeAuthority tests that both webhook servers of the runtime cluster have certificates of its authority.
func runtimeAuthority(t *testing.T, l *framework.Landscape) {
	decode := func(encoded string) []byte {
		t.Helper()
		text, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(text) == 0 {
			t.Fatalf("%d bytes, %v", len(text), err)
		}
		return text
	}
	ca := decode(l.Kubectl(l.Seed(), "-n", "garden", "get", "secret", "-l", "name=ca-garden-runtime,managed-by=secrets-manager,manager-identity=gardener-operator",
		"-o", `jsonpath={.items[*].data.ca\.crt}`))
	cert, err := certificate.Parse(ca)
	if err != nil {
		t.Fatal(err)
	}
	if life := cert.NotAfter.Sub(cert.NotBefore).Round(time.Hour); life != 30*24*time.Hour {
		t.Errorf("the authority is valid for %s", life)
	}
	for _, webhooks := range []string{"gardener-operator", "gardener-resource-manager"} {
		trusted := decode(l.Kubectl(l.Seed(), "get", "validatingwebhookconfiguration", webhooks, "-o", "jsonpath={.webhooks[0].clientConfig.caBundle}"))
		if !bytes.Equal(bytes.TrimSpace(trusted), bytes.TrimSpace(ca)) {
			t.Errorf("webhooks %s trust another authority", webhooks)
		}
	}
}
