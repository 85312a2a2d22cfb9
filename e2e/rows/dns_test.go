package rows

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// otherDNS creates a shoot whose domain belongs to a provider that only the test implements. Its record, and therefore the
// shoot, waits until that provider responds.
func otherDNS(t *testing.T, f *fixture) {
	const namespace, record = "shoot--local--acme", "acme-external"
	f.Kubectl(f.Garden(), "create", "-f", testdata(t, "acme.yaml"))
	defer f.Kubectl(f.Garden(), "-n", project, "delete", "secret/acme-dns", "controllerregistration/acme-dns")
	defer f.Gardener("shoot", "delete", "acme", "-n", project, "--yes", "--timeout=10m")

	read := func(object, path string) string {
		return f.get(f.Seed(), []string{"-n", namespace, "get", object}, path)
	}
	const spec = "{.spec.type} {.spec.name} {.spec.recordType} {.spec.zone} {.spec.secretRef.namespace}/{.spec.secretRef.name}"
	want := "acme-dns api.acme.example.org A zone-1 " + namespace + "/dnsrecord-acme-external"
	f.Eventually(3*time.Minute, "the record is ordered", func() (bool, string) {
		got := f.TryKubectl(f.Seed(), "-n", namespace, "get", "dnsrecord", record, "-o", "jsonpath="+spec)
		return got.Stdout == want, got.Stdout + got.Stderr
	})
	f.Eventually(time.Minute, "the name in the internal domain is published meanwhile", func() (bool, string) {
		got := f.TryKubectl(f.Seed(), "-n", namespace, "get", "dnsrecord", "acme-internal", "-o", "jsonpath={.spec.type} {.status.lastOperation.state}")
		return got.Stdout == "local Succeeded", got.Stdout + got.Stderr
	})
	if got := read("secret/dnsrecord-acme-external", "{.data.token}"); got != "b2YgdGhlIHpvbmU=" {
		t.Errorf("the credentials are %q", got)
	}
	f.Eventually(time.Minute, "the primary provider alone is asked", func() (bool, string) {
		got := f.Kubectl(f.Seed(), "-n", namespace, "get", "dnsrecords", "-o", "name")
		return strings.Count(got, "\n") == 3, got
	})
	if got := f.garden("shoot/acme", "{.status.lastOperation.state}"); got != "Processing" {
		t.Errorf("before the provider has answered the shoot is %s", got)
	}
	f.Eventually(time.Minute, "the provider has an installation on the seed", func() (bool, string) {
		got := f.Kubectl(f.Garden(), "get", "controllerinstallations", "-o", "jsonpath={.items[*].spec.registrationRef.name}")
		return strings.Contains(got, "acme-dns"), got
	})

	status := fmt.Sprintf(`{"status":{"observedGeneration":%s,"zone":"zone-1","lastOperation":{"type":"Create","state":"Succeeded","progress":100,"description":"","lastUpdateTime":%q}}}`,
		read("dnsrecord/"+record, "{.metadata.generation}"), time.Now().UTC().Format(time.RFC3339))
	f.Kubectl(f.Seed(), "-n", namespace, "patch", "dnsrecord", record, "--subresource=status", "--type=merge", "-p", status)
	f.Kubectl(f.Seed(), "-n", namespace, "annotate", "dnsrecord", record, "gardener.cloud/operation-")
	f.Gardener("shoot", "wait", "acme", "-n", project, "--timeout=10m")
	if hosts := advertised(t, f, "acme"); hosts["external"] != "api.acme.example.org" {
		t.Errorf("the shoot advertises %v", hosts)
	}
	f.Kubectl(f.Shoot(project, "acme"), "get", "namespaces")
}

// homeless creates a shoot whose domain has no provider: nothing is made for it, so that nothing has to go.
func homeless(t *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "create", "-f", f.File("homeless.yaml", `
apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: homeless, namespace: `+project+`}
spec:
  cloudProfileName: local
  region: local
  kubernetes: {version: `+kubeversion.Number+`}
  dns: {domain: homeless.example.org}
  provider: {type: local}
`))
	f.Eventually(time.Minute, "the shoot says that its domain has no provider", func() (bool, string) {
		said := f.garden("shoot/homeless", "{.status.lastOperation.state} {.status.lastErrors}")
		return strings.Contains(said, "ERR_CONFIGURATION_PROBLEM"), said
	})
	f.Gardener("shoot", "delete", "homeless", "-n", project, "--yes", "--timeout=2m")
}
