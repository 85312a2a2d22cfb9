package tour

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// TestMoreExamples applies all of examples/more at once, and checks what each cluster is an example of.
func TestMoreExamples(t *testing.T) {
	l := framework.New(t)
	l.Gardener("up")
	l.Kubectl(l.Garden(), "apply", "-f", filepath.Join(framework.Examples(), "more"))
	for _, example := range []struct {
		name  string
		shoot string
		test  func(t *testing.T, l *framework.Landscape, shoot string)
	}{
		{"API-15 the older form makes a cluster, too, and status tells that it is outdated", "oldform", oldForm},
		{"API-16 each pool has its machines, and its taint keeps pods away", "pools", twoPools},
		{"a cluster without machines is an API server", "workerless", workerless},
	} {
		t.Run(example.name, func(t *testing.T) {
			own := l.For(t)
			own.Gardener("shoot", "wait", example.shoot, "--timeout=10m")
			example.test(t, own, own.Shoot("garden-local", example.shoot))
		})
	}
	t.Run("API-28 GLT-36 GLT-37 the error of a provider is in the status", func(t *testing.T) { fault(l.For(t)) })
	t.Run("GLT-34 all of them go", func(t *testing.T) {
		own := l.For(t)
		own.Kubectl(l.Garden(), "-n", "garden-local", "annotate", "shoots", "--all", "confirmation.gardener.cloud/deletion=true")
		own.Kubectl(l.Garden(), "-n", "garden-local", "delete", "shoots", "--all", "--timeout=10m")
		if left := own.Kubectl(l.Seed(), "get", "namespaces", "-o", "name"); strings.Contains(left, "shoot--") {
			t.Errorf("namespaces are left:\n%s", left)
		}
		for pid, text := range own.Processes() {
			if strings.Contains(text, " component ") {
				t.Errorf("process %d is left: %s", pid, text)
			}
		}
	})
}

func oldForm(t *testing.T, l *framework.Landscape, shoot string) {
	const path = "jsonpath={.spec.cloudProfile.kind}/{.spec.cloudProfile.name} {.spec.credentialsBindingName} {.spec.secretBindingName}"
	if got := l.Kubectl(l.Garden(), "-n", "garden-local", "get", "shoot", "oldform", "-o", path); strings.TrimSpace(got) != "CloudProfile/local  local" {
		t.Errorf("the shoot refers to %q", got)
	}
	if nodes := strings.Fields(l.Kubectl(shoot, "get", "nodes", "-o", "name")); len(nodes) != 1 || !strings.Contains(nodes[0], "shoot--local--oldform") {
		t.Errorf("nodes %v, want one of this shoot", nodes)
	}
	outdated := func(d due) bool {
		return strings.Contains(d.Object, "oldform") && strings.Contains(d.What, "spec.secretBindingName is outdated")
	}
	if all := statusOf(t, l).Due; !slices.ContainsFunc(all, outdated) {
		t.Errorf("APP-35 status tells what is due: %+v", all)
	}
}

func twoPools(t *testing.T, l *framework.Landscape, shoot string) {
	const path = `jsonpath={range .items[*]}{.metadata.labels.worker\.gardener\.cloud/pool} {.metadata.labels.example\.org/pool} {.spec.taints[?(@.key=="example.org/pool")].effect}{"\n"}{end}`
	lines := strings.Split(strings.TrimSpace(l.Kubectl(shoot, "get", "nodes", "--sort-by=.metadata.labels.worker\\.gardener\\.cloud/pool", "-o", path)), "\n")
	if len(lines) != 2 || strings.TrimSpace(lines[0]) != "general" || lines[1] != "special special NoSchedule" {
		t.Errorf("nodes are %q", lines)
	}
	l.Kubectl(shoot, "create", "deployment", "web", "--image=nginx", "--replicas=3")
	l.Kubectl(shoot, "rollout", "status", "deployment/web", "--timeout=10m")
	for _, node := range strings.Fields(l.Kubectl(shoot, "get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].spec.nodeName}")) {
		if !strings.Contains(node, "-general-") {
			t.Errorf("a pod that does not tolerate the taint runs on %s", node)
		}
	}
}

func workerless(t *testing.T, l *framework.Landscape, shoot string) {
	if nodes := l.Kubectl(shoot, "get", "nodes", "-o", "name"); nodes != "" {
		t.Errorf("nodes:\n%s", nodes)
	}
	l.Kubectl(shoot, "create", "configmap", "kept")
	if machines := l.Kubectl(l.Seed(), "-n", "shoot--local--workerless", "get", "pods", "-o", "name"); strings.Contains(machines, "machine") {
		t.Errorf("pods of the control plane:\n%s", machines)
	}
}

func fault(l *framework.Landscape) {
	const want = "no more networks for this account"
	l.Eventually(2*time.Minute, "the fault is reported", func() (bool, string) {
		got := l.Kubectl(l.Garden(), "-n", "garden-local", "get", "shoot", "fault", "-o", "jsonpath={.status.lastErrors}")
		return strings.Contains(got, want) && strings.Contains(got, "ERR_INFRA_QUOTA_EXCEEDED"), got
	})
}
