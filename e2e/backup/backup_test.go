package backup

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

func TestBackup(t *testing.T) {
	l := framework.New(t)
	text, err := os.ReadFile(l.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(l.Config, string(text)+"gardenlet: {etcdConfig: {deltaSnapshotPeriod: 3s}}\n"); err != nil {
		t.Fatal(err)
	}
	l.Gardener("up")
	l.Kubectl(l.Garden(), "apply", "-f", filepath.Join(framework.Examples(), "90-shoot.yaml"))
	l.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	bucket := l.Kubectl(l.Garden(), "get", "seed", "local", "-o", "jsonpath={.metadata.uid}")
	uid := l.Kubectl(l.Garden(), "-n", "garden-local", "get", "shoot", "local", "-o", "jsonpath={.status.uid}")
	f := &fixture{Landscape: l, t: t, shoot: l.Shoot("garden-local", "local"), store: filepath.Join(l.StateDir, "backups", "local", bucket, technical+"--"+uid), reader: follow.New(t, l)}

	for _, part := range []struct {
		name string
		test func(*testing.T, *fixture)
	}{
		{"ETC-1 ETC-7 etcd main has a full snapshot, etcd events has no backup", firstSnapshot},
		{"ETC-8 changes are in delta snapshots", deltas},
		{"ETC-3 ETC-13 the backup server answers those with a certificate", server},
		{"ETC-3 etcd refuses connections without TLS or a certificate", connections},
		{"ETC-13 commands back the shoot up and list its snapshots", commands},
		{"ETC-13 an EtcdOpsTask takes a snapshot, an EtcdCopyBackupsTask copies all", tasks},
		{"ETC-10 the data directory is deleted with all of its volume", lost},
		{"ETC-10 the database is damaged", damaged},
		{"ETC-10 snapshots are encrypted once there is a key, and restored", sealedSnapshots},
		{"ETC-4 the log of etcd events is damaged: a new etcd begins", eventsDamaged},
		{"ETC-8 etcd main is deleted: its last changes are backed up before it ends", evicted},
		{"MIG-14 MIG-19 MIG-20 MIG-24 MIG-26 etcd main and extensions stop, with a final snapshot, while another seed is the owner", disowned},
		{"ETC-10 the shoot is reconciled and healthy after that", reconciled},
		{"APP-23 the landscape is paused, costs nothing, and is resumed", paused},
		{"APP-21 the whole landscape is backed up while it runs, removed and restored", wholeLandscape},
		{"BKP-7 the bucket stays while the shoot has its backups there", bucketStays},
		{"BKP-6 the deletion of the shoot removes its backups", removed},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, f.in(t)) })
		if t.Failed() {
			return // each part needs the one before
		}
	}
}

func firstSnapshot(t *testing.T, f *fixture) {
	f.Eventually(time.Minute, "condition BackupReady is True", func() (bool, string) {
		said := f.Kubectl(f.Seed(), "-n", technical, "get", "etcd", "etcd-main", "-o", `jsonpath={.status.conditions[?(@.type=="BackupReady")]}`)
		return strings.Contains(said, `"status":"True"`), said
	})
	if all := f.snapshots(); len(all) == 0 || all[0].Kind != snapshot.Full {
		t.Errorf("snapshots %v", all)
	}
	if entries, err := os.ReadDir(f.store); err != nil || len(entries) != 1 {
		t.Errorf("backups of the shoot: %v, %v", entries, err)
	}
	said := f.Kubectl(f.Seed(), "-n", technical, "get", "etcd", "etcd-events", "-o", "jsonpath={.status.conditions[*].type}")
	if strings.Contains(said, "BackupReady") {
		t.Errorf("conditions of etcd events: %s", said)
	}
	f.Eventually(time.Minute, "the member leads", func() (bool, string) {
		role := f.Kubectl(f.Seed(), "-n", technical, "get", "etcd", "etcd-main", "-o", "jsonpath={.status.members[0].role}")
		return role == "Leader", role
	})
}

func deltas(t *testing.T, f *fixture) {
	f.backedUp(f.write("kept-1"))
	if all := f.snapshots(); all[len(all)-1].Kind != snapshot.Delta {
		t.Errorf("snapshots %v", all)
	}
}

func server(t *testing.T, f *fixture) {
	status, body, err := f.ask("https", "/snapshot/latest", true)
	var latest struct {
		FullSnapshot   map[string]any
		DeltaSnapshots []map[string]any
	}
	if err != nil || status != http.StatusOK || json.Unmarshal([]byte(body), &latest) != nil || len(latest.FullSnapshot) == 0 || len(latest.DeltaSnapshots) == 0 {
		t.Errorf("latest snapshots: %d %s, %v", status, body, err)
	}
	before := len(f.snapshots())
	if status, body, err := f.ask("https", "/snapshot/full", true); err != nil || status != http.StatusOK || len(f.snapshots()) == before {
		t.Errorf("full snapshot: %d %s, %v", status, body, err)
	}
	for _, path := range []string{"/snapshot/latest", "/snapshot/full", "/config", "/metrics", "/"} {
		if status, body, err := f.ask("https", path, false); err != nil || status != http.StatusUnauthorized {
			t.Errorf("%s without a certificate: %d %s, %v", path, status, body, err)
		}
	}
	if status, _, err := f.ask("https", "/healthz", false); err != nil || status != http.StatusOK {
		t.Errorf("health without a certificate: %d, %v", status, err)
	}
	if status, body, err := f.ask("http", "/snapshot/latest", false); err == nil && status == http.StatusOK {
		t.Errorf("without TLS: %d %s", status, body)
	}
}

// connections asks for etcd's version, at the port of its clients.
func connections(t *testing.T, f *fixture) {
	const port = 2379
	if status, body, err := f.askAt(port, "https", "/version", true); err != nil || status != http.StatusOK || !strings.Contains(body, "etcdserver") {
		t.Errorf("with a certificate: %d %s, %v", status, body, err)
	}
	if status, body, err := f.askAt(port, "https", "/version", false); err == nil {
		t.Errorf("without a certificate: %d %s", status, body)
	}
	if status, body, err := f.askAt(port, "http", "/version", false); err == nil && status == http.StatusOK {
		t.Errorf("without TLS: %d %s", status, body)
	}
}

func commands(t *testing.T, f *fixture) {
	revision := f.write("by-command")
	if said := f.Gardener("shoot", "backup", "local", "-n", "garden-local"); !strings.Contains(said, "shoot garden-local/local") {
		t.Errorf("delta backup says %q", said)
	}
	if all := f.snapshots(); all[len(all)-1].End < revision {
		t.Errorf("revision %d is not backed up: %v", revision, all)
	}
	before := len(f.snapshots())
	if said := f.Gardener("shoot", "backup", "local", "-n", "garden-local", "--full"); !strings.Contains(said, "Full-") || len(f.snapshots()) == before {
		t.Errorf("full backup says %q", said)
	}
	var listed []struct{ Kind, Name string }
	if err := json.Unmarshal([]byte(f.Gardener("shoot", "snapshots", "local", "-n", "garden-local", "-o", "json")), &listed); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(listed, func(s struct{ Kind, Name string }) bool { return s.Kind == "full" }) || !slices.ContainsFunc(listed, func(s struct{ Kind, Name string }) bool { return s.Kind == "delta" }) {
		t.Errorf("snapshots %v", listed)
	}
	if table := f.Gardener("shoot", "snapshots", "local", "-n", "garden-local"); !strings.HasPrefix(table, "KIND") {
		t.Errorf("table %q", table)
	}
	if r := f.Run("shoot", "snapshots", "nobody", "-n", "garden-local"); r.Code != 6 {
		t.Errorf("exit code %d for a shoot that does not exist: %s", r.Code, r.Stderr)
	}
}

func tasks(t *testing.T, f *fixture) {
	before := f.snapshots()
	bucket, entry := filepath.Base(filepath.Dir(f.store)), filepath.Base(f.store)
	f.Kubectl(f.Seed(), "-n", technical, "create", "-f", f.File("tasks.yaml", strings.NewReplacer("BUCKET", bucket, "ENTRY", entry).Replace(tasksYAML)))
	var made []string
	f.Eventually(time.Minute, "the snapshot is taken", func() (bool, string) {
		said := f.Kubectl(f.Seed(), "-n", technical, "get", "etcdopstask", "now", "-o", "jsonpath={.status.state} {.status.lastOperation.description}")
		made = regexp.MustCompile(`^Succeeded Snapshot (Full-\S+) is taken`).FindStringSubmatch(said)
		return made != nil, said
	})
	if all := f.snapshots(); !slices.ContainsFunc(all, func(s snapshot.Snapshot) bool { return path.Base(s.Key()) == made[1] }) {
		t.Errorf("the task says %s, there are %v, there were %v", made[1], all, before)
	}
	f.Eventually(2*time.Minute, "the snapshots are copied", func() (bool, string) {
		said := f.Kubectl(f.Seed(), "-n", technical, "get", "etcdcopybackupstask", "copy", "-o", "jsonpath={.status}")
		return strings.Contains(said, `"type":"Succeeded"`), said
	})
	copies, err := os.ReadDir(filepath.Join(f.store, "copy", "v2"))
	if err != nil || len(copies) < len(before) {
		t.Errorf("copies %v, %v", copies, err)
	}
	f.Kubectl(f.Seed(), "-n", technical, "delete", "etcdopstask/now", "etcdcopybackupstask/copy")
}

const tasksYAML = `apiVersion: druid.gardener.cloud/v1alpha1
kind: EtcdOpsTask
metadata: {name: now}
spec: {etcdName: etcd-main, config: {onDemandSnapshot: {type: full}}}
---
apiVersion: druid.gardener.cloud/v1alpha1
kind: EtcdCopyBackupsTask
metadata: {name: copy}
spec:
  sourceStore: {provider: local, container: BUCKET, prefix: ENTRY/etcd-main, secretRef: {name: etcd-backup}}
  targetStore: {provider: local, container: BUCKET, prefix: ENTRY/copy, secretRef: {name: etcd-backup}}
`

func lost(t *testing.T, f *fixture) {
	f.backedUp(f.write("kept-2"))
	f.strike("etcd-main", func() {
		if err := os.RemoveAll(f.volume("etcd-main")); err != nil {
			t.Fatal(err)
		}
	})
	f.restored()
	f.has("kept-1", "kept-2")
	if revision := f.write("kept-3"); revision < 1_000_000_000 {
		t.Errorf("revision %d: clients could meet the same revision with other data", revision)
	}
}

func damaged(t *testing.T, f *fixture) {
	f.backedUp(f.write("kept-4"))
	f.strike("etcd-main", func() {
		file, err := os.OpenFile(filepath.Join(f.volume("etcd-main"), "new.etcd", "member", "snap", "db"), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		for offset := int64(0); offset < info.Size(); offset += 4096 { // the head of each page
			if _, err := file.WriteAt([]byte("damage damage damage damage"), offset); err != nil {
				t.Fatal(err)
			}
		}
	})
	f.restored()
	f.has("kept-1", "kept-2", "kept-3", "kept-4")
	if _, err := os.Stat(filepath.Join(f.volume("etcd-main"), "new.etcd.damaged")); err != nil {
		t.Errorf("the damaged data are not kept: %v", err)
	}
}

func eventsDamaged(t *testing.T, f *fixture) {
	f.strike("etcd-events", func() {
		files, err := filepath.Glob(filepath.Join(f.volume("etcd-events"), "new.etcd", "member", "wal", "*.wal"))
		if err != nil || len(files) == 0 {
			t.Fatalf("write-ahead log %v, %v", files, err)
		}
		file, err := os.OpenFile(files[0], os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.WriteAt([]byte(strings.Repeat("damage ", 20)), 100); err != nil {
			t.Fatal(err)
		}
	})
	f.Eventually(2*time.Minute, "the member tells that its data are damaged", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", technical, "logs", "etcd-events-0")
		return strings.Contains(r.Stdout, "The data of the etcd are damaged"), r.Stderr
	})
	if _, err := os.Stat(filepath.Join(f.volume("etcd-events"), "new.etcd.damaged")); err != nil {
		t.Errorf("the damaged data are not kept: %v", err)
	}
	f.Eventually(2*time.Minute, "events are stored again", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "create", "-f", f.File("event.yaml", event), "--request-timeout=5s")
		return r.Code == 0, r.Stdout + r.Stderr
	})
}

const event = `apiVersion: v1
kind: Event
metadata: {generateName: probe-, namespace: default}
involvedObject: {kind: Namespace, name: default, namespace: default}
reason: Probe
message: probe
type: Normal
`

func evicted(t *testing.T, f *fixture) {
	revision := f.write("kept-5")
	f.Kubectl(f.Seed(), "-n", technical, "delete", "pod", "etcd-main-0")
	if all := f.snapshots(); all[len(all)-1].End < revision {
		t.Errorf("revision %d is not backed up: %v", revision, all)
	}
	f.has("kept-5")
}

func reconciled(_ *testing.T, f *fixture) {
	f.Kubectl(f.Garden(), "-n", "garden-local", "annotate", "shoot", "local", "gardener.cloud/operation=reconcile")
	f.Eventually(2*time.Minute, "the reconciliation has begun", func() (bool, string) {
		said := f.Kubectl(f.Garden(), "-n", "garden-local", "get", "shoot", "local", "-o", "jsonpath={.metadata.annotations} {.status.lastOperation}")
		return !strings.Contains(said, "gardener.cloud/operation") && strings.Contains(said, `"type":"Reconcile"`), said
	})
	f.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	f.has("kept-1", "kept-2", "kept-3", "kept-4", "kept-5")
}

// wholeLandscape takes the steps of docs/backup.md, and uses kubeconfigs from before the backup after it.
func wholeLandscape(t *testing.T, f *fixture) {
	f.write("kept-6")
	backups := t.TempDir()
	reader := f.reader
	reader.Names = []string{"/mnt/backups", backups}
	steps := follow.Steps(t, "docs/backup.md", "e2e/backup", "Backup of a whole landscape")
	end := slices.IndexFunc(steps, func(s console.Step) bool { return strings.HasPrefix(s.Command, "gardener down") })
	reader.Follow(t, "a backup", steps[:end])
	var listed []struct{ File, Problem string }
	if err := json.Unmarshal([]byte(f.Gardener("backup", "list", "--in", backups, "-o", "json")), &listed); err != nil || len(listed) != 1 || listed[0].Problem != "" {
		t.Fatalf("backups %v, %v", listed, err)
	}
	file := listed[0].File
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup is readable for others: %v, %v", info, err)
	}
	if r := f.Run("backup", "restore", file); r.Code != 4 {
		t.Errorf("restoring to a landscape that runs ends with %d: %s", r.Code, r.Stderr)
	}
	t.Run("APP-21 a backup is encrypted", func(t *testing.T) { encrypted(t, f.in(t), reader, backups) })
	node := strings.TrimSpace(f.Kubectl(f.shoot, "get", "nodes", "-o", "name"))
	t.Run("APP-23 a landscape that is paused can be stopped", func(t *testing.T) { pausedThenStopped(t, f.in(t)) })
	scheduled := f.schedule()
	reader.Follow(t, "a restoration", steps[end:])
	f.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	f.has("kept-1", "kept-2", "kept-3", "kept-4", "kept-5", "kept-6")
	f.Eventually(2*time.Minute, "the node is that of the backup, and ready", func() (bool, string) {
		r := f.TryKubectl(f.shoot, "get", "nodes", "-o", `jsonpath={range .items[*]}node/{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{end}`)
		return r.Stdout == node+" True", r.Stdout + r.Stderr
	})
	t.Run("APP-21 backups are made on a schedule", func(t *testing.T) { f.in(t).backedUpBySchedule(scheduled) })
}

func bucketStays(t *testing.T, f *fixture) {
	name := filepath.Base(filepath.Dir(f.store))
	r := f.TryKubectl(f.Garden(), "delete", "backupbucket", name, "--wait=false")
	if r.Code == 0 || !strings.Contains(r.Stderr, "backup entry garden-local/"+filepath.Base(f.store)+" is in it") {
		t.Errorf("deletion ends with %d: %s%s", r.Code, r.Stdout, r.Stderr)
	}
	if len(f.snapshots()) == 0 {
		t.Error("the backups are gone")
	}
}

func removed(_ *testing.T, f *fixture) {
	f.Gardener("shoot", "delete", "local", "-n", "garden-local", "--yes", "--timeout=10m")
	f.Eventually(time.Minute, "its directory is gone", func() (bool, string) {
		entries, err := os.ReadDir(filepath.Dir(f.store))
		left := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == filepath.Base(f.store) })
		return !left, fmt.Sprint(entries, err)
	})
}
