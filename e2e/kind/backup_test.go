package kind

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

var backups = []step{
	{"ETC-1 ETC-8 BKP-5 the etcd of a shoot is backed up into the state directory", backedUp, true},
	{"APP-5 the disk that API servers of shoots watch is that of their etcds", sameDisk, true},
	{"ETC-10 the data directory of an etcd is removed, and it comes back from its backup", dataLost, true},
}

// backedUp needs a command that reaches a pod in the cluster.
func backedUp(t *testing.T, f *fixture) {
	f.await(2*time.Minute, "condition BackupReady is True", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", technical, "get", "etcd", "etcd-main", "-o", `jsonpath={.status.conditions[?(@.type=="BackupReady")]}`)
		return strings.Contains(r.Stdout, `"status":"True"`), r.Stdout + r.Stderr
	})
	f.kube("create", "configmap", "backed-up", "--from-literal=key=kept")
	if said := f.Gardener("shoot", "backup", shootName, "-n", project); !strings.Contains(said, "is backed up to revision") {
		t.Errorf("the command says %q", said)
	}
	kinds := map[snapshot.Kind]int{}
	files, err := filepath.Glob(filepath.Join(f.StateDir, "backups", "local", "*", technical+"--*", "etcd-main", "v2", "*"))
	for _, file := range files {
		if s, ok := snapshot.Parse("v2/" + filepath.Base(file)); ok {
			kinds[s.Kind]++
		}
	}
	if err != nil || kinds[snapshot.Full] == 0 || kinds[snapshot.Delta] == 0 {
		t.Errorf("snapshots %v in %v, %v", kinds, files, err)
	}
	if listed := f.Gardener("shoot", "snapshots", shootName, "-n", project); !strings.Contains(listed, "full") {
		t.Errorf("listed snapshots: %s", listed)
	}
}

// sameDisk compares what API servers ask, the root of their container, with the directory of the data.
func sameDisk(t *testing.T, f *fixture) {
	of := func(program, dir string) string {
		size := docker(t, "exec", f.seedContainer(), "sh", "-c", `stat -f -c "%b blocks of %S" "/proc/$(pgrep -o -f "`+program+`")/root/`+dir+`"`)
		return strings.Join(size, " ")
	}
	disk, data := of("component kube-apiserver ", ""), of("backup-restore serve .*--etcd=etcd-main ", "var/etcd/data")
	if disk != data || !strings.Contains(disk, " blocks of ") {
		t.Errorf("API servers watch a disk of %s, the data of etcds are on one of %s", disk, data)
	}
}

// probed is longer than the API server of a shoot is unready after its etcd answers again: a probe and its timeout.
const probed = 25 * time.Second

func dataLost(t *testing.T, f *fixture) {
	volume := strings.TrimSpace(f.Kubectl(f.Seed(), "-n", technical, "get", "pvc", "-o", `jsonpath={.items[?(@.metadata.labels.instance=="etcd-main")].spec.volumeName}`))
	where := f.Kubectl(f.Seed(), "get", "pv", volume, "-o", "jsonpath={.spec.hostPath.path}{.spec.local.path}")
	if !filepath.IsAbs(where) {
		t.Fatalf("directory of volume %q: %q", volume, where)
	}
	docker(t, "exec", f.seedContainer(), "rm", "-rf", filepath.Join(where, "new.etcd"))
	docker(t, "exec", f.seedContainer(), "pkill", "-9", "-f", "backup-restore serve .*--etcd=etcd-main")
	f.await(3*time.Minute, "the member tells that it has restored the data", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", technical, "logs", "etcd-main-0")
		return strings.Contains(r.Stdout, "Restored the data from backups"), r.Stderr
	})
	var since time.Time // of the first answer after the last failure
	f.await(3*time.Minute, "the ConfigMap is there, also after the probes of the API server", func() (bool, string) {
		r := f.TryKubectl(f.kubeconfig(), "get", "configmap", "backed-up", "-o", "jsonpath={.data.key}", "--request-timeout=10s")
		switch {
		case r.Stdout != "kept":
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		return !since.IsZero() && time.Since(since) > probed, r.Stdout + r.Stderr
	})
}

// noBackups checks that the deletion of the shoot has removed them.
func noBackups(t *testing.T, f *fixture) {
	f.await(time.Minute, "the backups of the shoot are gone", func() (bool, string) {
		left, err := filepath.Glob(filepath.Join(f.StateDir, "backups", "local", "*", technical+"--*"))
		return err == nil && len(left) == 0, strings.Join(left, " ")
	})
	if _, err := os.Stat(filepath.Join(f.StateDir, "backups", "local")); err != nil {
		t.Errorf("the directory of all backups: %v", err)
	}
}

// leftBehind comes after moveShoot and the shoot's deletion: what the shoot left in the bucket of the other seed stays there as long as the bucket (removeKind).
func leftBehind(t *testing.T, f *fixture) {
	bucket := f.Kubectl(f.Garden(), "get", "seed", otherKind, "-o", "jsonpath={.metadata.uid}")
	left, err := filepath.Glob(filepath.Join(f.StateDir, "backups", otherKind, "*", technical+"--*"))
	if err != nil || len(left) != 1 || filepath.Base(filepath.Dir(left[0])) != bucket {
		t.Fatalf("MIG-16 seed %s has backups of the shoot in %v, %v; want what it left in bucket %s, and none of the other seed", otherKind, left, err, bucket)
	}
	files, err := filepath.Glob(filepath.Join(left[0], "etcd-main", "v2", "*"))
	if full := slices.ContainsFunc(files, isFull); err != nil || !full {
		t.Errorf("MIG-16 bucket %s has lost what the shoot left there: it has %v, %v", bucket, files, err)
	}
}

func isFull(file string) bool {
	s, known := snapshot.Parse("v2/" + filepath.Base(file))
	return known && s.Kind == snapshot.Full
}
