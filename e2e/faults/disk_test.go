package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// diskSize is that of the disk of the landscape. A start needs 512 MiB.
const diskSize = 1 << 30

// TestFullDisk fills the disk of a landscape from outside, as a neighbour could.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("disk", dir, "tmpfs", 0, fmt.Sprintf("size=%d", diskSize)); err != nil {
		testskip.OutsideCI(t, "a disk of its own cannot be mounted:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	l := framework.NewAs(t, nil, dir)
	l.Gardener("up")
	l.Kubectl(l.Garden(), "create", "clusterrolebinding", "alice", "--clusterrole=cluster-admin", "--user=alice")
	l.Kubectl(l.Seed(), "create", "clusterrolebinding", "alice", "--clusterrole=cluster-admin", "--user=alice")
	daemon := l.Daemon()
	for _, cluster := range []string{l.Garden(), l.Seed()} {
		l.Kubectl(cluster, "create", "configmap", "kept", "--from-literal=text=long")
		l.Kubectl(cluster, "create", "configmap", "deleted")
	}
	filler := &filler{t: t, disk: dir, path: filepath.Join(dir, "filler")}
	asAlice := func(cluster string, args ...string) framework.Result {
		return l.TryKubectl(cluster, append([]string{"--as=alice"}, args...)...)
	}

	filler.leave(220 << 20)
	t.Run("APP-5 status warns of a disk that fills", func(t *testing.T) {
		l := l.For(t)
		l.Eventually(time.Minute, "status warns", func() (bool, string) {
			r := l.Run("status")
			return r.Code == 9 && strings.Contains(r.Stdout, "fills"), r.Stdout + r.Stderr
		})
	})
	filler.leave(100 << 20)
	for name, cluster := range map[string]string{"garden": l.Garden(), "seed": l.Seed()} {
		t.Run("APP-5 a disk that is nearly full refuses writes of users in the "+name, func(t *testing.T) {
			l := l.For(t)
			l.Eventually(time.Minute, "creation is refused", func() (bool, string) {
				r := asAlice(cluster, "create", "configmap", fmt.Sprintf("new-%d", time.Now().UnixNano()))
				return r.Code != 0 && strings.Contains(r.Stderr, "of the landscape's disk are free"), r.Stdout + r.Stderr
			})
			if r := asAlice(cluster, "patch", "configmap", "kept", "--type=merge", `-p={"data":{"text":"much longer"}}`); r.Code == 0 {
				t.Error("an object grows")
			}
			if r := asAlice(cluster, "get", "configmap", "kept", "-o", "jsonpath={.data.text}"); r.Stdout != "long" {
				t.Errorf("reads give %s%s", r.Stdout, r.Stderr)
			}
			if r := asAlice(cluster, "delete", "configmap", "deleted"); r.Code != 0 {
				t.Errorf("deletion: %s", r.Stderr)
			}
			l.Kubectl(cluster, "create", "configmap", "of-an-operator")
		})
	}
	t.Run("APP-5 status tells it by its text and its exit code", func(t *testing.T) {
		l := l.For(t)
		l.Eventually(time.Minute, "status", func() (bool, string) {
			r := l.Run("status")
			return r.Code == 1 && strings.Contains(r.Stdout, "nearly full"), r.Stdout + r.Stderr
		})
		l.Eventually(time.Minute, "the condition of the Seed", func() (bool, string) {
			said := l.Kubectl(l.Garden(), "get", "seed", "local", "-o", `jsonpath={.status.conditions[?(@.type=="StorageAvailable")]}`)
			return strings.Contains(said, "disk: the disk of"), said
		})
	})
	filler.leave(20 << 20)
	t.Run("APP-5 a full disk refuses everybody", func(t *testing.T) {
		l := l.For(t)
		l.Eventually(time.Minute, "creation is refused", func() (bool, string) {
			r := l.TryKubectl(l.Garden(), "create", "configmap", fmt.Sprintf("new-%d", time.Now().UnixNano()))
			return r.Code != 0 && strings.Contains(r.Stderr, "nobody may write"), r.Stdout + r.Stderr
		})
		l.Kubectl(l.Garden(), "get", "configmap", "kept")
		l.Kubectl(l.Garden(), "delete", "configmap", "of-an-operator")
	})
	filler.leave(0)
	time.Sleep(10 * time.Second) // components renew their leases meanwhile
	t.Run("APP-5 a disk without a free byte leaves reads and deletions", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(l.Garden(), "get", "configmap", "kept")
		l.Kubectl(l.Seed(), "delete", "configmap", "of-an-operator")
	})
	filler.leave(diskSize)
	t.Run("APP-5 it heals by itself when there is room again", func(t *testing.T) {
		l := l.For(t)
		l.Eventually(time.Minute, "users write", func() (bool, string) {
			r := asAlice(l.Garden(), "create", "configmap", "again")
			return r.Code == 0 || strings.Contains(r.Stderr, "exists"), r.Stderr
		})
		l.Eventually(2*time.Minute, "status has nothing to say", func() (bool, string) {
			r := l.Run("status")
			return r.Code == 0, r.Stdout + r.Stderr
		})
		if now := l.Daemon(); now != daemon {
			t.Errorf("the daemon is process %d, was %d", now, daemon)
		}
	})
}

// filler is a file that takes the room on a disk.
type filler struct {
	t          *testing.T
	disk, path string
}

// leave makes the file so large that the bytes are free, or removes it if more are free without it.
func (f *filler) leave(bytes int64) {
	f.t.Helper()
	if err := os.Remove(f.path); err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(f.disk, &disk); err != nil {
		f.t.Fatal(err)
	}
	if size := int64(disk.Bavail)*disk.Bsize - bytes; size > 0 {
		file, err := os.Create(f.path)
		if err != nil {
			f.t.Fatal(err)
		}
		defer file.Close()
		if err := syscall.Fallocate(int(file.Fd()), 0, 0, size); err != nil && bytes > 0 {
			f.t.Fatal(err)
		}
	}
}
