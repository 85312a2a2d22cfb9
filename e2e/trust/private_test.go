package trust

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// allowed is a private network in which tenants may name servers. Nobody has to be there: a request that is not refused fails
// otherwise.
const allowed = "10.77.77."

func allowPrivateNetwork(t *testing.T, l *framework.Landscape) {
	t.Helper()
	text, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(l.Config, string(text)+"tenants: {privateNetworks: ["+allowed+"0/24]}\n"); err != nil {
		t.Fatal(err)
	}
}

func inPrivateNetwork(t *testing.T, l *framework.Landscape, shoot string) {
	call := webhookAt(l, shoot, "allowed", "https://"+allowed+"77:9/")
	var said string
	l.Eventually(time.Minute, "the webhook is called", func() (bool, string) {
		said = call()
		return strings.Contains(said, "allowed.example.org"), said
	})
	if strings.Contains(said, refusal) || strings.Contains(said, privateRefusal) {
		t.Errorf("the address is refused: %s", said)
	}
	call = webhookAt(l, shoot, "beside", "https://10.77.78.77:9/")
	l.Eventually(time.Minute, "the network beside it is refused", func() (bool, string) {
		said := call()
		return strings.Contains(said, privateRefusal), said
	})
}

// webhookAt registers a webhook in a shoot. The function returned makes an object that the webhook must be asked about, and
// returns what is said if it cannot.
func webhookAt(l *framework.Landscape, shoot, name, url string) (call func() string) {
	l.Kubectl(shoot, "create", "-f", l.File(name+".yaml", fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: %[1]s}
webhooks:
- name: %[1]s.example.org
  clientConfig: {url: '%[2]s'}
  rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps], scope: Namespaced}]
  objectSelector: {matchLabels: {hook: %[1]s}}
  failurePolicy: Fail
  timeoutSeconds: 3
  sideEffects: None
  admissionReviewVersions: [v1]
`, name, url)))
	object := l.File(name+"-object.yaml", fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-, namespace: default, labels: {hook: %s}}\n", name))
	return func() string { return l.TryKubectl(shoot, "create", "-f", object).Stderr }
}
