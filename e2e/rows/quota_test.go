package rows

import (
	"strings"
	"testing"
	"time"
)

// objectQuota limits a Gardener kind in the namespace of the project. The garden's own controllers count the objects.
func objectQuota(t *testing.T, f *fixture) {
	const key = "count/quotas.core.gardener.cloud"
	const object = `apiVersion: core.gardener.cloud/v1beta1
kind: Quota
metadata: {name: %NAME%, namespace: garden-local}
spec:
  scope: {apiVersion: core.gardener.cloud/v1beta1, kind: Project}
  metrics: {cpu: "100"}
`
	manifest := func(name string) string { return f.File(name+".yaml", strings.ReplaceAll(object, "%NAME%", name)) }
	f.Kubectl(f.Garden(), "-n", project, "create", "quota", "counted", "--hard="+key+"=1")
	counted := func(want string) {
		t.Helper()
		f.Eventually(time.Minute, "the quota counts "+want, func() (bool, string) {
			got := f.garden("resourcequota/counted", "{.status.used.count/quotas\\.core\\.gardener\\.cloud}")
			return got == want, got
		})
	}
	counted("0")
	f.Kubectl(f.Garden(), "create", "-f", manifest("first"))
	counted("1")
	if r := f.TryKubectl(f.Garden(), "create", "-f", manifest("second")); r.Code == 0 || !strings.Contains(r.Stderr, "exceeded quota: counted") {
		t.Errorf("one more than the quota allows: code %d, %s", r.Code, r.Stderr)
	}
	f.Kubectl(f.Garden(), "-n", project, "delete", "quotas.core.gardener.cloud", "first", "--timeout=10m")
	counted("0")
	f.Kubectl(f.Garden(), "-n", project, "delete", "resourcequota", "counted")
}
