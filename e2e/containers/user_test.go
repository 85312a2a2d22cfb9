package containers

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// plain is a pod with a volume that two of its containers share.
const plain = `apiVersion: v1
kind: Pod
metadata: {name: plain}
spec:
  initContainers:
  - {name: init, image: %[1]s, args: [write, /data/index, "written by init"], volumeMounts: [{name: data, mountPath: /data}]}
  containers:
  - {name: web, image: %[1]s, args: [serve, "80", /data/index], readinessProbe: {httpGet: {port: 80}, periodSeconds: 1}, volumeMounts: [{name: data, mountPath: /data}, {name: kept, mountPath: /kept}]}
  - {name: other, image: %[1]s, args: [name, "8081"], securityContext: {runAsUser: 1000}, volumeMounts: [{name: kept, mountPath: /kept}]}
  volumes: [{name: data, emptyDir: {}}, {name: kept, persistentVolumeClaim: {claimName: kept}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: kept}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

func TestContainersOfAnOrdinaryUser(t *testing.T) {
	l := framework.NewAsOrdinaryUser(t)
	configure(l, t, "")
	image, err := os.ReadFile(writeImage(t, reference))
	if err != nil {
		t.Fatal(err)
	}
	l.Gardener("up")
	l.Gardener("image", "load", l.File("image.tar", string(image))) // the user cannot read the directory of the test
	l.Gardener("shoot", "create", "local")
	shoot := l.Shoot("garden-local", "local")
	l.Eventually(time.Minute, "the service account of the namespace default exists", func() (bool, string) {
		r := l.TryKubectl(shoot, "get", "serviceaccount", "default")
		return r.Code == 0, r.Stderr
	})
	l.Kubectl(shoot, "apply", "-f", l.File("plain.yaml", fmt.Sprintf(plain, reference)))
	l.Kubectl(shoot, "wait", "--for=condition=Ready", "pod/plain", "--timeout=2m")
	t.Run("APP-11 containers of an ordinary user's landscape share volumes", func(t *testing.T) {
		if said := l.For(t).Kubectl(shoot, "exec", "plain", "--", program, "get", "http://127.0.0.1:80"); said != "written by init" {
			t.Errorf("the server says %q", said)
		}
	})
	t.Run("APP-16 root in them writes to a PersistentVolume", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(shoot, "exec", "plain", "--", program, "write", "/kept/file", "kept")
		if said := l.Kubectl(shoot, "exec", "plain", "--", program, "read", "/kept/file"); said != "kept" {
			t.Errorf("the file has %q", said)
		}
	})
	t.Run("APP-16 status says why no other user does", func(t *testing.T) {
		l := l.For(t)
		const why = "containers that are not root's cannot write to PersistentVolumes: /etc/subuid has 0 subordinate IDs for this user, and 65536 are needed"
		var status json.RawMessage
		l.Status(&status)
		if said := string(status); !strings.Contains(said, why) || !strings.Contains(said, "install the package uidmap") {
			t.Errorf("status says\n%s", said)
		}
		if r := l.TryKubectl(shoot, "exec", "plain", "-c", "other", "--", program, "write", "/kept/other", "lost"); r.Code == 0 {
			t.Errorf("another user does: %s", r.Stdout)
		}
	})
	t.Run("APP-11 a pod that takes too much memory is OOMKilled there, too", func(t *testing.T) { eatTooMuch(l.For(t), shoot) })
	t.Run("APP-14 they see nothing of the machine", func(t *testing.T) {
		if said := l.For(t).Kubectl(shoot, "exec", "plain", "--", program, "list", "/"); strings.Contains(said, "usr") || !strings.Contains(said, "kept") {
			t.Errorf("the root has %s", said)
		}
	})
	t.Run("APP-16 doctor names the cure", func(t *testing.T) {
		l := l.For(t)
		l.Gardener("down")
		if said := l.Gardener("doctor", "-o", "json"); !strings.Contains(said, "has 0 subordinate IDs") || !strings.Contains(said, "/etc/subgid") {
			t.Errorf("doctor says\n%s", said)
		}
	})
}
