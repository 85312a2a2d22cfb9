package settings

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

const shootAccess = `apiVersion: v1
kind: Secret
metadata:
  name: shoot-access-virtual-garden
  namespace: garden
  labels: {resources.gardener.cloud/purpose: token-requestor, resources.gardener.cloud/class: shoot}
  annotations:
    serviceaccount.resources.gardener.cloud/name: virtual-garden-user
    serviceaccount.resources.gardener.cloud/namespace: kube-system
    serviceaccount.resources.gardener.cloud/token-expiration-duration: 3h
`

// theGarden tests the Garden of a landscape. At its end the Garden is gone until the landscape starts again.
func theGarden(t *testing.T, l *framework.Landscape) {
	seed := l.Seed()
	name := strings.TrimSpace(l.Kubectl(seed, "get", "garden", "-o", "jsonpath={.items[*].metadata.name}"))
	until := func(t *testing.T, what string, want string, args ...string) {
		t.Helper()
		l.Eventually(time.Minute, what, func() (bool, string) {
			r := l.TryKubectl(seed, args...)
			return strings.Contains(r.Stdout, want), r.Stdout + r.Stderr
		})
	}
	columns := []string{"get", "garden", name, "--no-headers"}
	t.Run("OPR-8 OPR-16 OPR-18 the Garden of the landscape is reconciled, and its conditions hold", func(t *testing.T) {
		until(t, "the Garden is reconciled", "Succeeded   True   True   True   True", "get", "garden", name, "-o",
			`go-template={{.status.lastOperation.state}}{{range .status.conditions}}   {{.status}}{{end}}`)
		if line := l.Kubectl(seed, columns...); !strings.Contains(line, "Succeeded") || !strings.HasPrefix(line, name) {
			t.Errorf("columns %q", line)
		}
	})
	t.Run("OPR-1 a second Garden is refused", func(t *testing.T) {
		second := `{"apiVersion":"operator.gardener.cloud/v1alpha1","kind":"Garden","metadata":{"name":"second"},"spec":` +
			l.Kubectl(seed, "get", "garden", name, "-o", "jsonpath={.spec}") + "}"
		if r := l.TryKubectl(seed, "create", "-f", l.File("second.yaml", second)); r.Code == 0 || !strings.Contains(r.Stderr, "there is a Garden already") {
			t.Errorf("code %d: %s", r.Code, r.Stderr)
		}
	})
	for what, tc := range map[string]struct{ patch, want string }{
		"OPR-10 a version that nothing runs is refused": {`{"spec":{"virtualCluster":{"kubernetes":{"version":"1.30.0"}}}}`, "spec.virtualCluster.kubernetes.version"},
		"OPR-13 a Garden without a domain is refused":   {`{"spec":{"virtualCluster":{"dns":{"domains":null}}}}`, "domain"},
		"OPR-14 a Garden without Services is refused":   {`{"spec":{"virtualCluster":{"networking":{"services":null}}}}`, "spec.virtualCluster.networking.services"},
		"OPR-4 a zone cannot be taken away":             {`{"spec":{"runtimeCluster":{"provider":{"zones":[]}}}}`, "zones can only be added"},
	} {
		t.Run(what, func(t *testing.T) {
			if r := l.TryKubectl(seed, "patch", "garden", name, "--type=merge", "-p", tc.patch); r.Code == 0 || !strings.Contains(r.Stderr, tc.want) {
				t.Errorf("code %d: %s", r.Code, r.Stderr)
			}
		})
	}
	t.Run("OPR-12 OPR-38 the Secret gardener is a kubeconfig of the virtual garden, and comes back whole", func(t *testing.T) {
		until(t, "the generic kubeconfig is named", "generic-token-kubeconfig-", "get", "garden", name, "-o", "jsonpath={.metadata.annotations}")
		l.Kubectl(seed, "-n", "garden", "patch", "secret", "gardener", "--type=merge", "-p", `{"data":{"kubeconfig":"eA=="},"metadata":{"labels":null}}`)
		l.Eventually(time.Minute, "the kubeconfig works again", func() (bool, string) {
			text, err := base64.StdEncoding.DecodeString(l.Kubectl(seed, "-n", "garden", "get", "secret", "gardener", "-o", "jsonpath={.data.kubeconfig}"))
			if err != nil {
				return false, err.Error()
			}
			r := l.TryKubectl(l.File("gardener.yaml", string(text)), "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
			return r.Stdout == "system:serviceaccount:kube-system:gardener", r.Stdout + r.Stderr
		})
	})
	t.Run("OPR-35 a Secret with the labels gets a token of the virtual garden", func(t *testing.T) {
		l.Kubectl(seed, "apply", "-f", l.File("shoot-access.yaml", shootAccess))
		until(t, "the token is there", "ey", "-n", "garden", "get", "secret", "shoot-access-virtual-garden", "-o", "go-template={{.data.token | base64decode}}")
	})
	t.Run("OPR-20 a component that is stopped is told, and comes back", func(t *testing.T) {
		virtual := []string{"get", "garden", name, "-o", `jsonpath={.status.conditions[?(@.type=="VirtualComponentsHealthy")]}`}
		l.Gardener("part", "stop", "gardener-scheduler")
		until(t, "the condition names the scheduler", "gardener-scheduler", virtual...)
		l.Gardener("part", "start", "gardener-scheduler")
		until(t, "the condition holds again", `"status":"True"`, virtual...)
	})
	t.Run("OPR-27 OPR-39 a confirmed deletion takes the access away", func(t *testing.T) {
		if r := l.TryKubectl(seed, "delete", "garden", name); r.Code == 0 || !strings.Contains(r.Stderr, "confirmation.gardener.cloud/deletion=true") {
			t.Fatalf("code %d: %s", r.Code, r.Stderr)
		}
		l.Kubectl(seed, "annotate", "garden", name, "confirmation.gardener.cloud/deletion=true")
		l.Kubectl(seed, "delete", "garden", name, "--timeout=1m")
		if left := l.Kubectl(seed, "-n", "garden", "get", "secrets,managedresources", "-o", "name"); strings.Contains(left, "secret/gardener\n") || strings.Contains(left, "generic-token-kubeconfig") || strings.Contains(left, "garden-access") {
			t.Errorf("left behind: %s", left)
		}
	})
}
