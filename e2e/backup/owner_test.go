package backup

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// disowned gives the shoot to another seed and back, as the restoration on another seed does.
func disowned(t *testing.T, f *fixture) {
	f.backedUp(f.write("kept-owned"))
	identity := f.Kubectl(f.Seed(), "-n", "kube-system", "get", "configmap", "cluster-identity", "-o", "jsonpath={.data.cluster-identity}")
	args := strings.Fields(f.Kubectl(f.Seed(), "-n", technical, "get", "statefulset", "etcd-main", "-o", `jsonpath={range .spec.template.spec.containers[0].args[*]}{@}{"\n"}{end}`))
	name := f.Kubectl(f.Seed(), "-n", technical, "get", "dnsrecord", "local-owner", "-o", "jsonpath={.spec.name}")
	if !strings.HasPrefix(name, "owner.local.local.internal.") || identity == "" || !slices.Contains(args, "--owner-name="+name) || !slices.Contains(args, "--owner-id="+identity) {
		t.Fatalf("record %q, seed %q, arguments %q", name, identity, args)
	}
	owner := func(value string) {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"gardener.cloud/operation":"reconcile"}},"spec":{"values":[%q]}}`, value)
		f.Kubectl(f.Seed(), "-n", technical, "patch", "dnsrecord", "local-owner", "--type=merge", "-p", patch)
	}
	health := func(want int) func() (bool, string) {
		return func() (bool, string) {
			status, body, err := f.ask("https", "/healthz", false)
			return status == want, fmt.Sprintf("%d %s, %v", status, body, err)
		}
	}
	finals := func() []snapshot.Snapshot {
		return slices.DeleteFunc(f.snapshots(), func(s snapshot.Snapshot) bool { return !s.Final })
	}

	const asked, done = `{.metadata.annotations.gardener\.cloud/operation}`, "{.status.lastOperation.lastUpdateTime}"
	infrastructure := func(field string) string {
		return f.Kubectl(f.Seed(), "-n", technical, "get", "infrastructure", "local", "-o", "jsonpath="+field)
	}
	before := infrastructure(done)

	f.Gardener("part", "stop", "gardenlet") // which then reaches neither the garden nor the seed
	owner("moon")
	f.Eventually(time.Minute, "the name server names another owner", func() (bool, string) {
		said := f.Kubectl(f.Seed(), "-n", technical, "get", "dnsrecord", "local-owner", "-o", "jsonpath={.status.lastOperation.state}"+asked)
		return said == "Succeeded", said
	})
	f.Kubectl(f.Seed(), "-n", technical, "annotate", "infrastructure", "local", "gardener.cloud/operation=reconcile")
	f.Eventually(2*time.Minute, "etcd does not serve any longer", health(http.StatusServiceUnavailable))
	f.Eventually(time.Minute, "there is one final snapshot, the newest of all", func() (bool, string) {
		all := f.snapshots()
		return len(finals()) == 1 && all[len(all)-1].Final && all[len(all)-1].Kind == snapshot.Full, fmt.Sprint(all)
	})
	if r := f.TryKubectl(f.shoot, "get", "configmaps", "--request-timeout=5s"); r.Code == 0 {
		t.Errorf("the shoot still answers: %s", r.Stdout)
	}
	if infrastructure(asked) != "reconcile" || infrastructure(done) != before {
		t.Errorf("MIG-26 the provider acts for a shoot of another seed: operation %q, done at %s, was %s", infrastructure(asked), infrastructure(done), before)
	}
	f.Gardener("part", "start", "gardenlet")
	owner(identity)
	f.Eventually(2*time.Minute, "MIG-26 the provider acts for its own shoot", func() (bool, string) {
		return infrastructure(asked) == "" && infrastructure("{.status.lastOperation.state}") == "Succeeded", infrastructure(asked)
	})
	f.Eventually(2*time.Minute, "etcd serves again", health(http.StatusOK))
	f.has("kept-owned")
	if got := finals(); len(got) != 1 {
		t.Errorf("final snapshots %v, want one", got)
	}
}
