package containers

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// unknown is a pod and a Job of an image that no registry has.
const unknown = `apiVersion: v1
kind: Pod
metadata: {name: unknown}
spec:
  containers: [{name: nginx, image: registry.invalid/nginx:1, readinessProbe: {httpGet: {port: 80}, periodSeconds: 1}}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: unknown}
spec:
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: registry.invalid/job:1}]}}
`

func missingImages(t *testing.T, f *fixture) {
	f.Kubectl(f.shoot, "apply", "-f", f.File("unknown.yaml", unknown))
	f.Kubectl(f.shoot, "wait", "--for=condition=Ready", "pod/unknown", "--timeout=2m")
	f.Kubectl(f.shoot, "wait", "--for=condition=Complete", "job/unknown", "--timeout=2m")
	f.Eventually(time.Minute, "an event of the pod says why", func() (bool, string) {
		said := f.Kubectl(f.shoot, "get", "events", "--field-selector", "involvedObject.name=unknown,reason=Simulated", "-o", "jsonpath={.items[*].message}")
		return strings.Contains(said, "container nginx is simulated: image could not be pulled: "), said
	})
	if r := f.TryKubectl(f.shoot, "exec", "unknown", "--", "true"); r.Code == 0 || !strings.Contains(r.Stderr, "container nginx is simulated: image could not be pulled") {
		t.Errorf("a command in it: %d %s", r.Code, r.Stderr)
	}
	f.Kubectl(f.shoot, "delete", "pod/unknown", "job/unknown")
}

// fallsBackLoudly starts the landscape where no sandbox starts: it has no place for its files.
func fallsBackLoudly(t *testing.T, l *framework.Landscape) {
	before := l.Env
	defer func() { l.Env = before }()
	l.Env = append(append([]string{}, before...), "TMPDIR="+filepath.Join(l.Dir, "none"))
	r := l.Run("up")
	if r.Code != 1 || !strings.Contains(r.Stderr, "GRD-111") || !strings.Contains(r.Stderr, "containers: simulate") {
		t.Errorf("up ends with %d: %s", r.Code, r.Stderr)
	}
}
