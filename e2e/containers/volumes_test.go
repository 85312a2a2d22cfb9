package containers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// volumes is a StatefulSet whose containers run as an ordinary user, and claims that get no volume.
const volumes = `apiVersion: v1
kind: Service
metadata: {name: data}
spec: {clusterIP: None, selector: {app: data}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: data}
spec:
  serviceName: data
  replicas: 2
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: data}}
  template:
    metadata: {labels: {app: data}}
    spec:
      terminationGracePeriodSeconds: 1
      securityContext: {runAsUser: 1000, runAsGroup: 1000}
      containers:
      - name: c
        image: %[1]s
        args: [name, "8080"]
        volumeMounts: [{name: data, mountPath: /data}, {name: data, mountPath: /deep, subPath: a/b}, {name: scratch, mountPath: /scratch, subPath: c}]
      volumes: [{name: scratch, emptyDir: {}}]
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: block}
spec: {accessModes: [ReadWriteOnce], volumeMode: Block, resources: {requests: {storage: 1Gi}}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: kept}
provisioner: local.gardener.cloud/hostpath
reclaimPolicy: Retain
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: kept}
spec: {accessModes: [ReadWriteMany], storageClassName: kept, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: once}
spec:
  restartPolicy: Never
  containers: [{name: c, image: %[1]s, args: [write, /data/file, written], volumeMounts: [{name: data, mountPath: /data}]}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: kept}}]
`

// mark is what a pod of the StatefulSet writes to its volume.
func mark(pod string) string { return "written by " + pod }

var pods = []string{"data-0", "data-1"}

func stateful(t *testing.T, f *fixture) {
	f.Kubectl(f.shoot, "apply", "-f", f.File("volumes.yaml", fmt.Sprintf(volumes, reference)))
	f.Kubectl(f.shoot, "rollout", "status", "statefulset/data", "--timeout=5m")
	for _, pod := range pods {
		for _, path := range []string{"/data/mark", "/deep/mark", "/scratch/mark"} {
			f.Kubectl(f.shoot, "exec", pod, "--", program, "write", path, mark(pod))
		}
	}
	if said := f.Kubectl(f.shoot, "exec", pods[0], "--", program, "read", "/data/a/b/mark"); said != mark(pods[0]) {
		t.Errorf("the sub path is another directory: %q", said)
	}
	f.Kubectl(f.shoot, "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/once", "--timeout=1m")
	f.Eventually(time.Minute, "an event tells why a claim gets no volume", func() (bool, string) {
		said := f.Kubectl(f.shoot, "get", "events", "--field-selector", "involvedObject.name=block", "-o", "jsonpath={.items[*].message}")
		return strings.Contains(said, "use volumeMode Filesystem"), said
	})
	if said := f.Kubectl(f.shoot, "get", "pv", "-o", "jsonpath={.items[*].spec.hostPath.path}"); strings.Contains(said, f.StateDir) || strings.Count(said, "/var/lib/shoot-volumes/pvc-") != 3 {
		t.Errorf("APP-19 the cluster knows volumes by %s", said)
	}
	f.Kubectl(f.shoot, "delete", "pod/once", "pvc/kept")
	if phase := f.Kubectl(f.shoot, "get", "pv", "-o", "jsonpath={.items[?(@.spec.storageClassName=='kept')].status.phase}"); phase != "Released" {
		t.Errorf("the volume that is to be kept is %q", phase)
	}
}

// kept checks the data.
func kept(t *testing.T, f *fixture) {
	f.Kubectl(f.shoot, "rollout", "status", "statefulset/data", "--timeout=5m")
	for _, pod := range pods {
		for _, path := range []string{"/data/mark", "/deep/mark"} {
			f.Eventually(time.Minute, "the data of "+pod+" are there", func() (bool, string) { // the connection to a node comes after its pods
				r := f.TryKubectl(f.shoot, "exec", pod, "--", program, "read", path)
				return r.Stdout == mark(pod), r.Stdout + r.Stderr
			})
		}
	}
}

func slept(t *testing.T, f *fixture) {
	f.Gardener("shoot", "hibernate", "local", "-n", "garden-local")
	f.Gardener("shoot", "wake", "local", "-n", "garden-local")
	kept(t, f)
}

// moved moves the shoot to a further seed, whose nodes run sandboxes, too.
func moved(t *testing.T, f *fixture) {
	f.Gardener("seed", "add", "two")
	f.Gardener("shoot", "migrate", "local", "-n", "garden-local", "--to", "two")
	kept(t, f)
	if said := f.Kubectl(f.shoot, "exec", pods[0], "--", program, "exit", "0"); !strings.Contains(said, "ends with 0") {
		t.Errorf("a command says %q", said)
	}
}

func removed(t *testing.T, f *fixture) {
	dirs := func() []string {
		found, err := filepath.Glob(filepath.Join(f.StateDir, "volumes", ".shoots", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := dirs(); len(found) != 3 {
		t.Errorf("volumes before: %v", found)
	}
	f.Kubectl(f.shoot, "delete", "statefulset/data", "--wait")
	f.Kubectl(f.shoot, "delete", "pvc/data-data-1")
	f.Eventually(time.Minute, "the data of a deleted claim are gone", func() (bool, string) {
		return len(dirs()) == 2, fmt.Sprint(dirs())
	})
	f.Gardener("shoot", "delete", "local", "-n", "garden-local", "--yes")
	if left, err := os.ReadDir(filepath.Join(f.StateDir, "volumes", ".shoots")); err != nil || len(left) > 0 {
		t.Errorf("left of the shoot: %v, %v", left, err)
	}
}

// foreignVolume is a volume whose claim seems to be gone, so that its directory is due.
const foreignVolume = `apiVersion: v1
kind: PersistentVolume
metadata: {name: foreign%[1]d, annotations: {%[3]s}}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Delete
  storageClassName: foreign
  hostPath: {path: %[2]q}
  claimRef: {namespace: default, name: gone, uid: 11111111-1111-1111-1111-111111111111}
`

func foreign(t *testing.T, f *fixture) {
	victim, err := os.MkdirTemp("/tmp", "gardener-e2e-victim-") // the plugin of kube-controller-manager removes what is below /tmp
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(victim)
	for i, annotation := range []string{"", "pv.kubernetes.io/provisioned-by: kubernetes.io/host-path", "pv.kubernetes.io/provisioned-by: local.gardener.cloud/hostpath"} {
		name := fmt.Sprintf("foreign%d", i)
		f.Kubectl(f.shoot, "apply", "-f", f.File(name+".yaml", fmt.Sprintf(foreignVolume, i, victim, annotation)))
		f.Eventually(time.Minute, name+" is not removed", func() (bool, string) {
			said := f.Kubectl(f.shoot, "get", "pv", name, "-o", "jsonpath={.status.phase} {.status.message}")
			ours := strings.Contains(annotation, "gardener") && strings.HasPrefix(said, "Released") // by the provisioner, which leaves it
			return ours || strings.HasPrefix(said, "Failed") && strings.Contains(said, "operation not permitted"), said
		})
	}
	if _, err := os.Stat(victim); err != nil {
		t.Error(err)
	}
	f.Kubectl(f.shoot, "delete", "pv", "foreign0", "foreign1", "foreign2", "--wait=false")
	f.TryKubectl(f.shoot, "patch", "pv", "foreign1", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`) // waits for the removal of its directory
}
