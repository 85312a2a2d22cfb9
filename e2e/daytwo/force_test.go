package daytwo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

func remove(l *framework.Landscape, shoot string) {
	l.Kubectl(l.Garden(), "-n", project, "annotate", "shoot", shoot, "confirmation.gardener.cloud/deletion=true")
	l.Kubectl(l.Garden(), "-n", project, "delete", "shoot", shoot, "--wait=false")
}

// awaitGone waits until no shoot and no namespace in the seed is left of the names.
func awaitGone(l *framework.Landscape, timeout time.Duration, names ...string) {
	l.Eventually(timeout, fmt.Sprint(names, " are gone"), func() (bool, string) {
		shoots := l.Kubectl(l.Garden(), "-n", project, "get", "shoots", "-o", "jsonpath={range .items[*]}{.metadata.name} {.status.lastOperation.description} {.status.lastErrors}{\"\\n\"}{end}")
		namespaces := l.Kubectl(l.Seed(), "get", "namespaces", "-o", "jsonpath={range .items[*]}{.metadata.name}{\"\\n\"}{end}")
		for _, name := range names {
			if strings.Contains("\n"+shoots, "\n"+name+" ") || slices.Contains(strings.Fields(namespaces), "shoot--local--"+name) {
				return false, shoots + namespaces
			}
		}
		return true, ""
	})
}

// force deletes a shoot with a worker whose clean-up would take an hour.
func force(t *testing.T, l *framework.Landscape) {
	l.Gardener("shoot", "wait", "forced", "-n", project, "--timeout=10m")
	shoot := l.Shoot(project, "forced")
	l.Kubectl(shoot, "create", "-f", l.File("blocked.yaml", blocked))
	l.Kubectl(shoot, "wait", "--for=condition=Established", "crd/widgets.example.org", "--timeout=10m")
	l.Kubectl(shoot, "create", "-f", l.File("widget.yaml", widget))
	confirm := []string{"-n", project, "annotate", "shoot", "forced", "confirmation.gardener.cloud/force-deletion=true"}
	if r := l.TryKubectl(l.Garden(), confirm...); r.Code == 0 || !strings.Contains(r.Stderr, "needs a cluster that is being deleted") {
		t.Errorf("a shoot that is not deleted: %s%s", r.Stdout, r.Stderr)
	}
	remove(l, "forced")
	l.Eventually(2*time.Minute, "the deletion waits for the webhook", func() (bool, string) {
		got := l.Kubectl(l.Garden(), "-n", project, "get", "shoot", "forced", "-o", "jsonpath={.status.lastOperation.description}")
		return strings.Contains(got, "Cleaning up webhooks"), got
	})
	if r := l.TryKubectl(l.Garden(), confirm...); r.Code == 0 || !strings.Contains(r.Stderr, "needs one of these problems") {
		t.Errorf("a deletion without errors: %s%s", r.Stdout, r.Stderr)
	}
	// The gardenlet reports this after ten minutes, for which no test waits.
	l.Kubectl(l.Garden(), "-n", project, "patch", "shoot", "forced", "--subresource=status", "--type=merge", "-p",
		`{"status":{"lastErrors":[{"description":"still in the cluster","codes":["ERR_CLEANUP_CLUSTER_RESOURCES"]}]}}`)
	reader := follow.New(t, l)
	reader.Names = []string{"shoot local ", "shoot forced "}
	reader.Follow(t, "docs/deletion.md", follow.Steps(t, "docs/deletion.md", "e2e/daytwo"))
	awaitGone(l, 2*time.Minute, "forced")
}
