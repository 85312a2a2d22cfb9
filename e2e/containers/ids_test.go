package containers

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// owned has containers of two users that are not root. As root, an init container gives a directory of a volume to one of them, as images of databases do.
const owned = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {key: value}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: owned}
spec:
  serviceName: owned
  selector: {matchLabels: {app: owned}}
  template:
    metadata: {labels: {app: owned}}
    spec:
      terminationGracePeriodSeconds: 1
      securityContext: {runAsUser: 1000, runAsGroup: 1000, fsGroup: 2000}
      initContainers:
      - name: own
        image: %[1]s
        args: [own, /database/data, "999"]
        securityContext: {runAsUser: 0, runAsGroup: 0}
        volumeMounts: [{name: database, mountPath: /database}]
      - name: share
        image: %[1]s
        args: [own, /node/data, "999"]
        securityContext: {runAsUser: 0, runAsGroup: 0}
        volumeMounts: [{name: node, mountPath: /node}]
      containers:
      - name: plain
        image: %[1]s
        args: [name, "8080"]
        volumeMounts: [{name: data, mountPath: /data}, {name: scratch, mountPath: /scratch}, {name: settings, mountPath: /settings}]
      - name: database
        image: %[1]s
        args: [name, "8081"]
        securityContext: {runAsUser: 999, runAsGroup: 999}
        volumeMounts: [{name: database, mountPath: /database}, {name: node, mountPath: /node}, {name: scratch, mountPath: /scratch}]
      volumes: [{name: scratch, emptyDir: {}}, {name: settings, configMap: {name: settings, defaultMode: 256}}, {name: node, hostPath: {path: /var/lib/shared}}]
  volumeClaimTemplates:
  - {metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
  - {metadata: {name: database}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
`

// inContainer runs a verb of the program in a container of the StatefulSet.
func inContainer(l *framework.Landscape, shoot, container string, args ...string) string {
	return l.Kubectl(shoot, append([]string{"exec", "owned-0", "-c", container, "--", program}, args...)...)
}

func TestContainersOfAUserWithSubordinateIDs(t *testing.T) {
	l := framework.NewAsUserWithIDs(t)
	configure(l, t, "")
	image, err := os.ReadFile(writeImage(t, reference))
	if err != nil {
		t.Fatal(err)
	}
	l.Gardener("up")
	l.Gardener("image", "load", l.File("image.tar", string(image)))
	l.Gardener("shoot", "create", "local")
	shoot := l.Shoot("garden-local", "local")
	l.Kubectl(shoot, "apply", "-f", l.File("owned.yaml", fmt.Sprintf(owned, reference)))
	l.Kubectl(shoot, "rollout", "status", "statefulset/owned", "--timeout=5m")
	t.Run("APP-16 any user writes to PersistentVolumes", func(t *testing.T) { anyUserWrites(t, l.For(t), shoot) })
	t.Run("APP-11 a container of root gives files to others", func(t *testing.T) { given(t, l.For(t), shoot) })
	t.Run("APP-11 fsGroup owns emptyDirs and ConfigMaps", func(t *testing.T) { groupOwns(t, l.For(t), shoot) })
	t.Run("APP-16 the machine knows these files as those of subordinate IDs", func(t *testing.T) { onMachine(t, l.For(t)) })
	t.Run("APP-16 a backup has files that only their user may read", func(t *testing.T) {
		l := l.For(t)
		if r := l.Run("backup", "create", "--to", "backup.tar.zst"); r.Code != 0 || strings.Contains(r.Stderr, "missing") {
			t.Errorf("code %d: %s", r.Code, r.Stderr)
		}
	})
	t.Run("APP-16 a start without the IDs warns", func(t *testing.T) { withoutIDs(t, l.For(t)) })
	t.Run("APP-16 data stay over a restart of the daemon", func(t *testing.T) { restarted(t, l.For(t), shoot) })
	t.Run("APP-16 a claim goes with files of all users", func(t *testing.T) { claimGoes(t, l.For(t), shoot) })
	t.Run("APP-16 a purge after a crash leaves no file", func(t *testing.T) { purged(t, l.For(t)) })
	t.Run("APP-21 a restoration gives files to their users", func(t *testing.T) { restored(t, l.For(t)) })
}

func anyUserWrites(t *testing.T, l *framework.Landscape, shoot string) {
	inContainer(l, shoot, "plain", "write", "/data/mark", "by 1000")
	if owner := inContainer(l, shoot, "plain", "owner", "/data/mark"); !strings.HasPrefix(owner, "1000:1000 ") {
		t.Errorf("the file is that of %s", owner)
	}
}

func given(t *testing.T, l *framework.Landscape, shoot string) {
	for _, dir := range []string{"/database/data", "/node/data"} {
		inContainer(l, shoot, "database", "write", dir+"/mark", "by 999")
		if owner := inContainer(l, shoot, "database", "owner", dir); owner != "999:999 drwx------" {
			t.Errorf("%s is that of %s", dir, owner)
		}
	}
}

func groupOwns(t *testing.T, l *framework.Landscape, shoot string) {
	for _, file := range []string{"/scratch", "/settings/..data/key"} {
		if owner := inContainer(l, shoot, "plain", "owner", file); !strings.HasPrefix(owner, "0:2000 ") {
			t.Errorf("%s is that of %s", file, owner)
		}
	}
	inContainer(l, shoot, "plain", "write", "/scratch/mark", "shared")
	if said := inContainer(l, shoot, "plain", "read", "/settings/key") + inContainer(l, shoot, "database", "read", "/scratch/mark"); said != "valueshared" {
		t.Errorf("the files have %q", said)
	}
}

// ofUser are the files below the state directory that the machine knows as those of a user.
func ofUser(t *testing.T, l *framework.Landscape, user uint32) (files []string) {
	t.Helper()
	err := filepath.WalkDir(l.StateDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed meanwhile
		}
		if info, err := entry.Info(); err == nil && info.Sys().(*syscall.Stat_t).Uid == user {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func onMachine(t *testing.T, l *framework.Landscape) {
	for user, want := range map[uint32]string{framework.FirstSubordinate + 999: "/mark", framework.FirstSubordinate + 998: "/data/mark"} {
		if files := ofUser(t, l, user); !strings.Contains(strings.Join(files, "\n")+"\n", want+"\n") {
			t.Errorf("user %d has the files %q", user, files)
		}
	}
	for _, user := range []uint32{0, 999, 1000} {
		if files := ofUser(t, l, user); len(files) > 0 {
			t.Errorf("user %d of the machine has the files %q", user, files)
		}
	}
}

func withoutIDs(t *testing.T, l *framework.Landscape) {
	l.Gardener("down")
	l.GiveIDs(65535)
	defer l.GiveIDs(65536)
	const why = "has no more: /etc/subuid has 65535 subordinate IDs for this user, and 65536 are needed"
	if r := l.Run("up"); r.Code != 0 || !strings.Contains(r.Stderr, why) || !strings.Contains(r.Stderr, "they were 0:") {
		t.Errorf("code %d: %s", r.Code, r.Stderr)
	}
}

func restarted(t *testing.T, l *framework.Landscape, shoot string) {
	l.Gardener("down")
	l.Gardener("up")
	l.Kubectl(shoot, "rollout", "status", "statefulset/owned", "--timeout=5m")
	for container, file := range map[string]string{"plain": "/data/mark", "database": "/database/data/mark"} {
		l.Eventually(time.Minute, "the data of "+container+" are there", func() (bool, string) { // the connection to a node comes after its pods
			r := l.TryKubectl(shoot, "exec", "owned-0", "-c", container, "--", program, "read", file)
			return strings.HasPrefix(r.Stdout, "by "), r.Stdout + r.Stderr
		})
		inContainer(l, shoot, container, "write", file, "by the same")
	}
}

func claimGoes(t *testing.T, l *framework.Landscape, shoot string) {
	volumes := func() []string {
		found, _ := filepath.Glob(filepath.Join(l.StateDir, "volumes", ".shoots", "*", "*")) // fails for bad patterns only
		return found
	}
	if found := volumes(); len(found) != 2 {
		t.Errorf("volumes before: %v", found)
	}
	l.Kubectl(shoot, "scale", "statefulset/owned", "--replicas=0")
	l.Kubectl(shoot, "delete", "pvc", "data-owned-0")
	l.Eventually(time.Minute, "the volume is gone", func() (bool, string) { return len(volumes()) == 1, fmt.Sprint(volumes()) })
}

func purged(t *testing.T, l *framework.Landscape) {
	if err := syscall.Kill(l.Daemon(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.Gardener("down", "--purge", "--yes")
	if _, err := os.Lstat(l.StateDir); !os.IsNotExist(err) {
		left := ofUser(t, l, framework.FirstSubordinate+998)
		t.Errorf("the state directory is left, with %q", left)
	}
}

func restored(t *testing.T, l *framework.Landscape) {
	l.Gardener("backup", "restore", "backup.tar.zst")
	onMachine(t, l)
	l.Gardener("down", "--purge", "--yes")
	if _, err := os.Lstat(l.StateDir); !os.IsNotExist(err) {
		t.Error("the state directory is left")
	}
}
