package seeds

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

const (
	chosen     = "shoot--local--chosen"
	garden     = "garden-local"
	caOfShoot  = "jsonpath={.data.ca\\.crt}"
	theNode    = "jsonpath={.items[*].metadata.name} {.items[*].metadata.uid}"
	podsOfUser = "jsonpath={.items[*].metadata.uid}"
)

// moved tries migrations, on a landscape with two seeds and the shoot chosen on seed two.
func moved(t *testing.T, l *framework.Landscape, reader *follow.Reader) {
	t.Run("BKP-2 EXT-18 MIG-1 MIG-3 MIG-4 MIG-5 MIG-6 MIG-7 MIG-8 MIG-10 MIG-11 MIG-12 MIG-13 MIG-14 MIG-16 MIG-17 MIG-18 MIG-21 MIG-24 MIG-25 MIG-28 a control plane moves there and back", func(t *testing.T) {
		moves(t, l.For(t))
	})
	t.Run("MIG-27 the seed that a shoot has left cannot change its names", func(t *testing.T) { left(t, l.For(t)) })
	t.Run("MIG-3 MIG-25 APP-3 a migration ends with all data after garden and both seeds were killed at once", func(t *testing.T) { interruptedTogether(t, l.For(t)) })
	t.Run("MIG-3 MIG-4 MIG-6 a shoot sleeps on while it moves, and wakes up with all data", func(t *testing.T) { asleep(t, l.For(t)) })
	t.Run("MIG-3 MIG-4 MIG-6 a shoot without workers moves there and back", func(t *testing.T) { withoutWorkers(t, l.For(t)) })
	t.Run("MIG-15 MIG-20 BKP-4 a shoot is taken from a seed without its gardenlet", func(t *testing.T) { taken(t, l.For(t), reader) })
}

// ownerOf asks for the owner of shoot chosen, which has a record on the seed.
func ownerOf(t *testing.T, l *framework.Landscape, seed string) []string {
	t.Helper()
	name := recordOf(l, seed)
	if !strings.HasPrefix(name, "owner.chosen.local.internal.") {
		t.Errorf("MIG-12 the name of the owner is %q", name)
	}
	return resolve(t, l, name)
}

func recordOf(l *framework.Landscape, seed string) string {
	return l.Kubectl(seed, "-n", chosen, "get", "dnsrecord", "chosen-owner", "-o", "jsonpath={.spec.name}")
}

// resolve asks the landscape's name server, as dig does.
func resolve(t *testing.T, l *framework.Landscape, name string) []string {
	t.Helper()
	address := nameServer(t, l)
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	values, err := resolver.LookupTXT(t.Context(), name)
	if err != nil {
		t.Errorf("MIG-12 %s: %v", name, err)
	}
	return values
}

func identityOf(l *framework.Landscape, seed string) string {
	return l.Kubectl(seed, "-n", "kube-system", "get", "configmap", "cluster-identity", "-o", "jsonpath={.data.cluster-identity}")
}

// owned checks that a seed is the owner of shoot chosen, that the etcd checks it, and that a reconciliation leaves the record alone.
func owned(t *testing.T, l *framework.Landscape, seed string) {
	t.Helper()
	identity := identityOf(l, seed)
	if got := ownerOf(t, l, seed); len(got) != 1 || got[0] != identity {
		t.Errorf("MIG-12 the owner is %q, want %q", got, identity)
	}
	if args := l.Kubectl(seed, "-n", chosen, "get", "statefulset", "etcd-main", "-o", "jsonpath={.spec.template.spec.containers[0].args}"); !strings.Contains(args, `"--owner-id=`+identity+`"`) {
		t.Errorf("MIG-14 arguments of etcd main: %s", args)
	}
	version := func() string {
		return l.Kubectl(seed, "-n", chosen, "get", "dnsrecord", "chosen-owner", "-o", "jsonpath={.metadata.resourceVersion}")
	}
	before := version()
	l.Kubectl(l.Garden(), "-n", garden, "annotate", "shoot", "chosen", "gardener.cloud/operation=reconcile")
	l.Gardener("shoot", "wait", "chosen", "-n", garden, "--timeout="+patience.String())
	if after := version(); after != before {
		t.Errorf("MIG-13 a reconciliation has changed the record: version %s, was %s", after, before)
	}
}

// left writes the record of the owner again on the first seed, which the shoot has left. It is refused there, and its deletion changes
// nothing.
func left(t *testing.T, l *framework.Landscape) {
	two := l.File("seed-two.yaml", l.Gardener("kubeconfig", "seed", "two"))
	before := ownerOf(t, l, two)
	name := recordOf(l, two)
	l.Kubectl(l.Seed(), "create", "namespace", chosen)
	l.Kubectl(l.Seed(), "create", "-f", l.File("stale.yaml", strings.ReplaceAll(staleYAML, "NAME", name)))
	l.Eventually(time.Minute, "the record of the seed that was left is refused", func() (bool, string) {
		said := l.Kubectl(l.Seed(), "-n", chosen, "get", "dnsrecord", "chosen-owner", "-o", "jsonpath={.status.lastError.description}")
		return strings.Contains(said, "is published by another seed"), said
	})
	l.Kubectl(l.Seed(), "annotate", "-n", chosen, "dnsrecord", "chosen-owner", "confirmation.gardener.cloud/deletion=true")
	l.Kubectl(l.Seed(), "-n", chosen, "delete", "dnsrecord", "chosen-owner", "--timeout=10m")
	l.Kubectl(l.Seed(), "delete", "namespace", chosen, "--timeout=10m")
	if after := ownerOf(t, l, two); !slices.Equal(before, after) || len(after) != 1 {
		t.Errorf("the owner was %q, and is %q", before, after)
	}
}

const staleYAML = `apiVersion: v1
kind: Secret
metadata: {name: stale, namespace: shoot--local--chosen}
---
apiVersion: extensions.gardener.cloud/v1alpha1
kind: DNSRecord
metadata: {name: chosen-owner, namespace: shoot--local--chosen, annotations: {gardener.cloud/operation: restore}}
spec:
  type: local
  secretRef: {name: stale, namespace: shoot--local--chosen}
  name: NAME
  recordType: TXT
  values: [stale]
`

// savedSecrets have to be in a ShootState. No API server knows basic authentication; the users of its time are those of observability.
var savedSecrets = []string{
	"ca", "ca-front-proxy", "kube-apiserver-static-token", "ca-kubelet", "ca-metrics-server", "kube-apiserver-etcd-encryption-key", "kube-aggregator",
	"observability-ingress-users", "kube-apiserver", "service-account-key", "ssh-keypair",
}

// moves lets the control plane of shoot chosen move from seed two to the first seed and back.
func moves(t *testing.T, l *framework.Landscape) {
	shoot := l.File("chosen.yaml", l.Gardener("kubeconfig", "shoot", "chosen", "-n", garden))
	seeds := map[string]string{"local": l.Seed(), "two": l.File("seed-two.yaml", l.Gardener("kubeconfig", "seed", "two"))}
	l.Kubectl(shoot, "create", "deployment", "web", "--image=web")
	l.Kubectl(shoot, "rollout", "status", "deployment", "web", "--timeout=10m")
	authority := l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "chosen.ca-cluster", "-o", caOfShoot)
	node, pods := l.Kubectl(shoot, "get", "nodes", "-o", theNode), l.Kubectl(shoot, "get", "pods", "-o", podsOfUser)
	l.Eventually(time.Minute, "EXT-18 MIG-8 the state of the machines is in the garden", func() (bool, string) {
		said := l.Kubectl(l.Garden(), "-n", garden, "get", "shootstate", "chosen", "-o", `jsonpath={.spec.extensions[?(@.kind=="Worker")].state}`)
		return strings.Contains(said, `"machines"`) && strings.Contains(said, `"machineClasses"`) && strings.Contains(said, strings.Fields(node)[0]), said
	})
	inState := func(when string) {
		t.Helper()
		said := l.Kubectl(l.Garden(), "-n", garden, "get", "shootstate", "chosen", "-o", "jsonpath={.spec.gardener[*].labels.name}")
		for _, name := range savedSecrets {
			if !slices.Contains(strings.Fields(said), name) {
				t.Errorf("MIG-6 %s the ShootState lacks secret %s: %s", when, name, said)
			}
		}
	}
	inState("after the creation")
	if r := l.Run("shoot", "migrate", "chosen", "-n", garden, "--to", "nowhere"); r.Code != 6 || !strings.Contains(r.Stderr, `no seed "nowhere"`) {
		t.Errorf("moved to a seed that does not exist: %d %s", r.Code, r.Stderr)
	}
	if r := l.Run("shoot", "migrate", "chosen", "-n", garden, "--to", "two"); r.Code != 1 || !strings.Contains(r.Stderr, "is on seed two already") {
		t.Errorf("moved to its own seed: %d %s", r.Code, r.Stderr)
	}

	for i, move := range []struct{ from, to string }{{"two", "local"}, {"local", "two"}} {
		kept := fmt.Sprintf("kept-%d", i)
		l.Kubectl(shoot, "create", "configmap", kept, "--from-literal=key="+kept)
		failures := count(l, shoot)
		appeared := watch(l, seeds[move.to], "secrets", "etcdcopybackupstasks", "jobs")
		began := time.Now()
		gone, interrupt := func() {}, func() {}
		if move.from == "two" {
			gone, interrupt = bastioned(t, l, seeds["two"]), interrupted(t, l, seeds["two"])
		}
		done := make(chan framework.Result, 1)
		go func() {
			done <- l.Run("shoot", "migrate", "chosen", "-n", garden, "--to", move.to, "--timeout="+patience.String())
		}()
		interrupt()
		if r := <-done; r.Code != 0 {
			t.Fatalf("the migration ends with %d: %s%s", r.Code, r.Stdout, r.Stderr)
		}
		gone()
		inState("after the migration to " + move.to)
		asked, failed := failures()
		seen := appeared()
		t.Logf("from %s to %s: %s, %d of %d requests failed", move.from, move.to, time.Since(began).Round(time.Second), failed, asked)
		l.Gardener("shoot", "wait", "chosen", "-n", garden, "--timeout="+patience.String())

		status := l.Kubectl(l.Garden(), "-n", garden, "get", "shoot", "chosen", "-o", "jsonpath={.status.seedName} {.status.migrationStartTime}")
		if status != move.to+" " {
			t.Errorf("MIG-4 seed and begin of the migration: %q", status)
		}
		for _, want := range []string{"MIG-16 secret/source-etcd-backup", "MIG-16 secret/etcd-backup", "MIG-17 job.batch/etcd-main-worker", "MIG-17 etcdcopybackupstask.druid.gardener.cloud/etcd-main"} {
			if _, object, _ := strings.Cut(want, " "); !seen[object] {
				t.Errorf("%s was not on seed %s during the restoration", want, move.to)
			}
		}
		if left := l.Kubectl(seeds[move.to], "-n", chosen, "get", "etcdcopybackupstasks,jobs", "-o", "name"); left != "" {
			t.Errorf("MIG-21 left behind: %s", left)
		}
		if r := l.TryKubectl(seeds[move.to], "-n", chosen, "get", "secret", "source-etcd-backup"); r.Code == 0 {
			t.Error("MIG-21 the access to the bucket of the source is left behind")
		}
		if r := l.TryKubectl(seeds[move.from], "get", "namespace", chosen); r.Code == 0 {
			t.Errorf("MIG-3 the namespace is still on seed %s", move.from)
		}
		for n := range i + 1 {
			name := fmt.Sprintf("kept-%d", n)
			if got := l.Kubectl(shoot, "get", "configmap", name, "-o", "jsonpath={.data.key}"); got != name {
				t.Errorf("MIG-3 config map %s has %q", name, got)
			}
		}
		if got := l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "chosen.ca-cluster", "-o", caOfShoot); got != authority {
			t.Error("MIG-6 the shoot has another authority")
		}
		if got := l.Kubectl(shoot, "get", "nodes", "-o", theNode); got != node {
			t.Errorf("MIG-5 nodes were %q, and are %q", node, got)
		}
		if got := l.Kubectl(shoot, "get", "pods", "-o", podsOfUser); got != pods {
			t.Errorf("MIG-5 pods were %q, and are %q", pods, got)
		}
		if got := l.Kubectl(seeds[move.to], "-n", chosen, "get", "machines", "-o", "jsonpath={.items[*].metadata.name}"); got != strings.Fields(node)[0] {
			t.Errorf("MIG-8 machines %q", got)
		}
		annotations := l.Kubectl(seeds[move.to], "-n", chosen, "get", "infrastructures,workers,networks,controlplanes,dnsrecords", "-o", "jsonpath={.items[*].metadata.annotations.gardener\\.cloud/operation}")
		if annotations != "" {
			t.Errorf("MIG-7 operations are left: %q", annotations)
		}
		owned(t, l, seeds[move.to])
		bucket := l.Kubectl(l.Garden(), "get", "seed", move.to, "-o", "jsonpath={.metadata.uid}")
		entries := l.Kubectl(l.Garden(), "-n", garden, "get", "backupentries", "-o", `jsonpath={range .items[*]}{.metadata.name} {.spec.seedName} {.spec.bucketName}{"\n"}{end}`)
		if strings.Contains(entries, "source-") || !strings.Contains(entries, move.to+" "+bucket) {
			t.Errorf("MIG-11 MIG-21 backup entries\n%s", entries)
		}
		if move.to == "local" { // where the shoot shared is, too
			share(t, l, bucket)
		}
	}
}

// bastioned gives the shoot a Bastion on seed two, and returns what checks that it does not outlive the move.
func bastioned(t *testing.T, l *framework.Landscape, two string) (gone func()) {
	t.Helper()
	l.Kubectl(l.Garden(), "create", "-f", l.File("bastion.yaml", bastionYAML))
	l.Eventually(patience, "MIG-28 the bastion is ready", func() (bool, string) {
		said := l.Kubectl(l.Garden(), "-n", garden, "get", "bastion", "alice", "-o", `jsonpath={.spec.seedName} {.status.conditions[?(@.type=="BastionReady")].status}`)
		return said == "two True", said
	})
	return func() {
		t.Helper()
		if r := l.TryKubectl(l.Garden(), "-n", garden, "get", "bastion", "alice"); r.Code == 0 || !strings.Contains(r.Stderr, "NotFound") {
			t.Errorf("MIG-28 the bastion is left in the garden: %s%s", r.Stdout, r.Stderr)
		}
		if left := l.Kubectl(two, "get", "bastions.extensions.gardener.cloud", "-A", "-o", "name"); left != "" {
			t.Errorf("MIG-28 left on seed two: %s", left)
		}
	}
}

// interrupted holds the etcd of a shoot that leaves seed two, and returns what stops the gardenlet of that seed when the final snapshot has
// been taken and the etcd goes. The gardenlet then begins the migration again, which must not wait for an etcd that runs.
func interrupted(t *testing.T, l *framework.Landscape, two string) (interrupt func()) {
	t.Helper()
	record := recordOf(l, two)
	change := func(operation string) {
		l.Kubectl(two, "-n", chosen, "patch", "etcd", "etcd-main", "--type=json", "-p", operation)
	}
	change(`[{"op":"add","path":"/metadata/finalizers/-","value":"example.org/held"}]`)
	last := func(fields string) string {
		return l.Kubectl(l.Garden(), "-n", garden, "get", "shoot", "chosen", "-o", "jsonpath="+fields)
	}
	return func() {
		t.Helper()
		l.Eventually(patience, "MIG-25 the etcd goes", func() (bool, string) {
			said := l.TryKubectl(two, "-n", chosen, "get", "etcd", "etcd-main", "-o", "jsonpath={.metadata.deletionTimestamp} {.metadata.finalizers}")
			when, finalizers, _ := strings.Cut(said.Stdout, " ")
			return when != "" && finalizers == `["example.org/held"]`, said.Stdout + said.Stderr
		})
		l.Gardener("part", "stop", "gardenlet-two")
		if said := last("{.status.lastOperation.type} {.status.lastOperation.state}"); said != "Migrate Processing" {
			t.Errorf("MIG-25 the last operation of a migration that was stopped is %s", said)
		}
		if got := resolve(t, l, record); len(got) != 1 || got[0] != identityOf(l, l.Seed()) {
			t.Errorf("MIG-24 the etcd goes, and the owner is %q", got)
		}
		stopped := last("{.status.lastOperation.lastUpdateTime}")
		l.Gardener("part", "start", "gardenlet-two")
		l.Eventually(patience, "MIG-25 the migration is at the etcd again", func() (bool, string) {
			said := last("{.status.lastOperation.lastUpdateTime} {.status.lastOperation.description}")
			return !strings.HasPrefix(said, stopped) && strings.Contains(said, "Waiting until main and event etcd have been destroyed"), said
		})
		if sets := l.Kubectl(two, "-n", chosen, "get", "statefulsets", "-o", "name"); sets != "" {
			t.Errorf("MIG-25 the repeated migration has started %s", sets)
		}
		change(`[{"op":"remove","path":"/metadata/finalizers/0"}]`)
	}
}

const bastionYAML = `apiVersion: operations.gardener.cloud/v1alpha1
kind: Bastion
metadata: {name: alice, namespace: garden-local}
spec:
  shootRef: {name: chosen}
  sshPublicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl alice
  ingress: [{ipBlock: {cidr: 127.0.0.0/8}}]
`

// share checks that the first seed has one bucket, with a place for each of its shoots.
func share(t *testing.T, l *framework.Landscape, bucket string) {
	t.Helper()
	if got := l.Kubectl(l.Garden(), "get", "backupbuckets", "-o", `jsonpath={.items[?(@.spec.seedName=="local")].metadata.name}`); got != bucket {
		t.Errorf("BKP-2 the seed has the buckets %q, want %s", got, bucket)
	}
	for _, shoot := range []string{"chosen", "shared"} {
		uid := l.Kubectl(l.Garden(), "-n", garden, "get", "shoot", shoot, "-o", "jsonpath={.status.uid}")
		entry := "shoot--local--" + shoot + "--" + uid
		if got := l.Kubectl(l.Garden(), "-n", garden, "get", "backupentry", entry, "-o", "jsonpath={.spec.bucketName}"); got != bucket {
			t.Errorf("BKP-2 backups of shoot %s are in bucket %q, want %s", shoot, got, bucket)
		}
		if kept, err := os.ReadDir(filepath.Join(l.StateDir, "backups", "local", bucket, entry, "etcd-main", "v2")); err != nil || len(kept) == 0 {
			t.Errorf("BKP-2 shoot %s has %d backups in the bucket, %v", shoot, len(kept), err)
		}
	}
}

// watch notes the names of objects in the namespace of the shoot on a seed, until the function that it returns is called. Objects of some
// kinds live for a moment only.
func watch(l *framework.Landscape, seed string, kinds ...string) func() map[string]bool {
	ctx, cancel := context.WithCancel(context.Background())
	found := make(chan []byte, len(kinds))
	for _, kind := range kinds {
		go func() {
			var names []byte
			for ctx.Err() == nil { // a watch ends with the API server
				out, _ := l.Landscape.Kubectl(ctx, seed, "-n", chosen, "get", kind, "--watch", "-o", "name").Output()
				names = append(names, out...)
				select {
				case <-ctx.Done():
				case <-time.After(300 * time.Millisecond):
				}
			}
			found <- names
		}()
	}
	return func() map[string]bool {
		cancel()
		seen := map[string]bool{}
		for range kinds {
			for name := range strings.FieldsSeq(string(<-found)) {
				seen[name] = true
			}
		}
		return seen
	}
}

// count asks the API server of a shoot until the function that it returns is called, which tells how often it asked and how often it
// got no answer.
func count(l *framework.Landscape, shoot string) func() (asked, failed int) {
	ctx, cancel := context.WithCancel(context.Background())
	asked, failed, done := 0, 0, make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			asked++
			if l.TryKubectl(shoot, "get", "--raw=/version", "--request-timeout=1s").Code != 0 {
				failed++
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}()
	return func() (int, int) {
		cancel()
		<-done
		return asked, failed
	}
}
