package seeds

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

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
func moved(t *testing.T, l *framework.Landscape) {
	t.Run("EXT-18 MIG-1 MIG-3 MIG-4 MIG-5 MIG-6 MIG-7 MIG-8 MIG-10 MIG-11 MIG-12 MIG-13 MIG-14 MIG-16 MIG-17 MIG-18 MIG-21 a control plane moves there and back", func(t *testing.T) {
		moves(t, l.For(t))
	})
	t.Run("MIG-27 the seed that a shoot has left cannot change its names", func(t *testing.T) { left(t, l.For(t)) })
}

// ownerOf asks the landscape's name server for the owner of shoot chosen, as dig does.
func ownerOf(t *testing.T, l *framework.Landscape, seed string) []string {
	t.Helper()
	address := nameServer(t, l)
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	name := l.Kubectl(seed, "-n", chosen, "get", "dnsrecord", "chosen-owner", "-o", "jsonpath={.spec.name}")
	if !strings.HasPrefix(name, "owner.chosen.local.internal.") {
		t.Errorf("MIG-12 the name of the owner is %q", name)
	}
	values, err := resolver.LookupTXT(t.Context(), name)
	if err != nil {
		t.Errorf("MIG-12 %s: %v", name, err)
	}
	return values
}

// owned checks that a seed is the owner of shoot chosen, that the etcd checks it, and that a reconciliation leaves the record alone.
func owned(t *testing.T, l *framework.Landscape, seed string) {
	t.Helper()
	identity := l.Kubectl(seed, "-n", "kube-system", "get", "configmap", "cluster-identity", "-o", "jsonpath={.data.cluster-identity}")
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
	name := l.Kubectl(two, "-n", chosen, "get", "dnsrecord", "chosen-owner", "-o", "jsonpath={.spec.name}")
	l.Kubectl(l.Seed(), "create", "namespace", chosen)
	l.Kubectl(l.Seed(), "create", "-f", l.File("stale.yaml", strings.ReplaceAll(staleYAML, "NAME", name)))
	l.Eventually(time.Minute, "the record of the seed that was left is refused", func() (bool, string) {
		said := l.Kubectl(l.Seed(), "-n", chosen, "get", "dnsrecord", "chosen-owner", "-o", "jsonpath={.status.lastError.description}")
		return strings.Contains(said, "is published by another seed"), said
	})
	l.Kubectl(l.Seed(), "annotate", "-n", chosen, "dnsrecord", "chosen-owner", "confirmation.gardener.cloud/deletion=true")
	l.Kubectl(l.Seed(), "-n", chosen, "delete", "dnsrecord", "chosen-owner", "--timeout=1m")
	l.Kubectl(l.Seed(), "delete", "namespace", chosen, "--timeout=1m")
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

// moves lets the control plane of shoot chosen move from seed two to the first seed and back.
func moves(t *testing.T, l *framework.Landscape) {
	shoot := l.File("chosen.yaml", l.Gardener("kubeconfig", "shoot", "chosen", "-n", garden))
	seeds := map[string]string{"local": l.Seed(), "two": l.File("seed-two.yaml", l.Gardener("kubeconfig", "seed", "two"))}
	l.Kubectl(shoot, "create", "deployment", "web", "--image=web")
	l.Kubectl(shoot, "rollout", "status", "deployment", "web", "--timeout=1m")
	authority := l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "chosen.ca-cluster", "-o", caOfShoot)
	node, pods := l.Kubectl(shoot, "get", "nodes", "-o", theNode), l.Kubectl(shoot, "get", "pods", "-o", podsOfUser)
	l.Eventually(time.Minute, "EXT-18 MIG-8 the state of the machines is in the garden", func() (bool, string) {
		said := l.Kubectl(l.Garden(), "-n", garden, "get", "shootstate", "chosen", "-o", `jsonpath={.spec.extensions[?(@.kind=="Worker")].state}`)
		return strings.Contains(said, `"machines"`) && strings.Contains(said, strings.Fields(node)[0]), said
	})
	version := func() string {
		return l.Kubectl(l.Garden(), "-n", garden, "get", "shootstate", "chosen", "-o", "jsonpath={.metadata.resourceVersion}")
	}
	if before := version(); before != version() {
		t.Error("MIG-10 the state is written without a change")
	}
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
		appeared := watch(l, seeds[move.to], "secrets,etcdcopybackupstasks,jobs")
		began := time.Now()
		l.Gardener("shoot", "migrate", "chosen", "-n", garden, "--to", move.to, "--timeout="+patience.String())
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
	}
}

// watch notes the names of objects in the namespace of the shoot on a seed, until the function that it returns is called.
func watch(l *framework.Landscape, seed, kinds string) func() map[string]bool {
	ctx, cancel := context.WithCancel(context.Background())
	seen, done := map[string]bool{}, make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			for name := range strings.FieldsSeq(l.TryKubectl(seed, "-n", chosen, "get", kinds, "-o", "name").Stdout) {
				seen[name] = true
			}
			select {
			case <-ctx.Done():
			case <-time.After(300 * time.Millisecond):
			}
		}
	}()
	return func() map[string]bool {
		cancel()
		<-done
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
