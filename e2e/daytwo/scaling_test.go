package daytwo

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// scaleEtcds switches the feature gate on. The landscape must not run yet.
func scaleEtcds(t *testing.T, l *framework.Landscape) {
	t.Helper()
	text, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(l.Config, string(text)+"gardenlet: {featureGates: {HVPA: true}}\n"); err != nil {
		t.Fatal(err)
	}
}

const technicalOfUpdates = "shoot--local--updates"

// recommend does what a recommender in the seed does: it recommends more for one etcd and less for the other.
func (u *updates) recommend() {
	u.t.Helper()
	for etcd, target := range map[string]string{"etcd-main": `{"cpu":"40m","memory":"160Mi"}`, "etcd-events": `{"cpu":"1m","memory":"8Mi"}`} {
		u.Kubectl(u.Seed(), "-n", technicalOfUpdates, "patch", "verticalpodautoscaler", etcd, "--subresource=status", "--type=merge", "-p",
			`{"status":{"recommendation":{"containerRecommendations":[{"containerName":"etcd","target":`+target+`}]}}}`)
	}
}

// scaled checks that the gardenlet has followed one recommendation, and that it waits for the maintenance window with the other.
func (u *updates) scaled() {
	u.t.Helper()
	inSeed := func(kind, name, path string) string {
		return strings.TrimSpace(u.Kubectl(u.Seed(), "-n", technicalOfUpdates, "get", kind, name, "-o", "jsonpath="+path))
	}
	for etcd, want := range map[string]string{"etcd-main": `{"cpu":"40m","memory":"160Mi"}`, "etcd-events": `{"cpu":"10m","memory":"64Mi"}`} {
		u.Eventually(2*time.Minute, "requests of "+etcd, func() (bool, string) {
			got := inSeed("statefulset", etcd, "{.spec.template.spec.containers[0].resources.requests} {.status.readyReplicas}")
			return got == want+" 1", got
		})
	}
	u.Eventually(2*time.Minute, "the Hvpa says why it does nothing", func() (bool, string) {
		got := inSeed("hvpa", "etcd-events", "{.spec.vpa.scaleDown.updatePolicy.updateMode} {.status.lastBlockedScaling[*].reason}")
		return got == "MaintenanceWindow MaintenanceWindow", got
	})
	if got := inSeed("hvpa", "etcd-main", "{.status.lastScaling.vpaStatus.containerResources[0].target.memory}"); got != "160Mi" {
		u.t.Errorf("the Hvpa of etcd-main has scaled to %q", got)
	}
}
