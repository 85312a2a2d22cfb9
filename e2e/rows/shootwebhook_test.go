package rows

import (
	"strings"
	"testing"
	"time"
)

// shootWebhook looks at the webhook of the provider for objects of the shoot, which the shoot's API server calls in the seed.
func shootWebhook(t *testing.T, f *fixture) {
	const (
		extension     = "extension-provider-local"
		component     = "deployment/gardener-extension-provider-local-webhook"
		configuration = "mutatingwebhookconfiguration/gardener-extension-provider-local-shoot"
		machines      = `{.metadata.annotations.local\.provider\.extensions\.gardener\.cloud/machines}`
	)
	if got := f.get(f.shoot, []string{"get", configuration}, "{.webhooks[*].clientConfig.url} {.webhooks[*].failurePolicy}"); got != "https://gardener-extension-provider-local-webhook."+extension+".svc:10250/webhooks/systemcomponents Ignore" {
		t.Errorf("the shoot calls %q", got)
	}
	// again, since the first write may come before the webhook
	touch := func(value string) {
		f.Kubectl(f.shoot, "-n", "kube-system", "annotate", "deployment", "coredns", "touched="+value, "--overwrite")
	}
	touch("first")
	if got := f.get(f.shoot, []string{"-n", "kube-system", "get", "deployment", "coredns"}, machines); got != "pod" {
		t.Errorf("the system component says that machines are %q", got)
	}
	if r := f.TryKubectl(f.shoot, "-n", "default", "create", "deployment", "own", "--image=registry.example.org/none:1", "--dry-run=server", "-o", "jsonpath="+machines); r.Stdout != "" {
		t.Errorf("a deployment of a user says %q", r.Stdout)
	}
	if got := f.garden("shoot/rows", `{.status.constraints[?(@.type=="HibernationPossible")].status}`); got != "True" {
		t.Errorf("the webhook is called problematic: HibernationPossible is %q", got)
	}

	f.Kubectl(f.Seed(), "-n", extension, "scale", component, "--replicas=0")
	f.Eventually(time.Minute, "the pod has gone", func() (bool, string) {
		got := f.Kubectl(f.Seed(), "-n", extension, "get", "pods", "-o", "name")
		return strings.TrimSpace(got) == "", got
	})
	touch("second") // passes although nobody answers
	f.Kubectl(f.Seed(), "-n", extension, "scale", component, "--replicas=1")
	f.Kubectl(f.Seed(), "-n", extension, "rollout", "status", component, "--timeout=1m")

	f.Kubectl(f.shoot, "delete", configuration)
	f.Eventually(2*time.Minute, "the configuration comes back", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "get", configuration)
		return r.Code == 0, r.Stderr
	})
}
