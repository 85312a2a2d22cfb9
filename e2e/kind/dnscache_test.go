package kind

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// cacheAddress is where the DNS cache listens on each node.
const cacheAddress = "169.254.20.10"

var dnsCache = []step{
	{"NOD-5 a pod resolves names through the DNS cache on its node", nodeLocalDNS, true},
}

// nodeLocalDNS switches the cache on and off again; nodes are not replaced for it.
func nodeLocalDNS(t *testing.T, f *fixture) {
	before := f.kube("get", "nodes", "-o", "jsonpath={.items[*].metadata.uid}")
	f.switchCache(true)
	f.await(5*time.Minute, "all nodes have a DNS cache", func() (bool, string) {
		r := f.TryKubectl(f.kubeconfig(), "-n", "kube-system", "get", "daemonset", "node-local-dns", "-o", "jsonpath={.status.desiredNumberScheduled} {.status.numberReady}")
		return r.Stdout == "2 2", r.Stdout + r.Stderr
	})
	t.Run("by asking it directly", func(t *testing.T) {
		sub := f.within(t)
		sub.kube("run", "asks-cache", "--image="+echo, "--restart=Never",
			fmt.Sprintf(`--overrides={"spec":{"dnsPolicy":"None","dnsConfig":{"nameservers":[%q]}}}`, cacheAddress),
			"--", "lookup", "kubernetes.default.svc.cluster.local.")
		if got := strings.TrimSpace(sub.ended(t, "asks-cache")); got != sub.kube("get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}") {
			t.Errorf("the cache says %q", got)
		}
	})
	t.Run("as every pod does", func(t *testing.T) {
		sub := f.within(t)
		if got := sub.runPod(t, "asks-usual", "", "lookup", "kubernetes.default.svc.cluster.local."); strings.TrimSpace(got) == "" {
			t.Error("no address")
		}
	})
	f.switchCache(false)
	f.await(3*time.Minute, "the cache goes", func() (bool, string) {
		got := f.kube("-n", "kube-system", "get", "daemonsets", "-o", "name")
		return !strings.Contains(got, "node-local-dns"), got
	})
	if after := f.kube("get", "nodes", "-o", "jsonpath={.items[*].metadata.uid}"); after != before {
		t.Errorf("nodes were %s and are %s", before, after)
	}
}

func (f *fixture) switchCache(on bool) {
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", shootName, "--type=merge", "-p", fmt.Sprintf(`{"spec":{"systemComponents":{"nodeLocalDNS":{"enabled":%t}}}}`, on))
	f.ready()
}
