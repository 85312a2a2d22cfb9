package kind

import (
	"slices"
	"strings"
	"testing"
)

// nodeUnits run on each node.
var nodeUnits = []string{"containerd.service", "kubelet.service", "gardener-node-agent.service", "containerd-monitor.service", "kubelet-monitor.service"}

// configured looks into the containers for what their OperatingSystemConfig says.
func configured(t *testing.T, f *fixture) {
	for _, machine := range f.machines(t) {
		exec := func(command ...string) string {
			return strings.Join(docker(t, append([]string{"exec", machine}, command...)...), "\n")
		}
		states := strings.Fields(exec(append([]string{"systemctl", "is-active"}, nodeUnits...)...))
		if len(states) != len(nodeUnits) || slices.ContainsFunc(states, func(state string) bool { return state != "active" }) {
			t.Errorf("%s: units %v are %v", machine, nodeUnits, states)
		}
		for what, words := range map[string][]string{
			exec("systemctl", "cat", "kubelet.service"):           {"Restart=always", "RestartSec=10", "--container-runtime-endpoint=unix:///run/containerd/containerd.sock"},
			exec("cat", "/etc/sysctl.d/99-k8s-general.conf"):      {"vm.max_map_count", "kernel.softlockup_panic"},
			exec("ls", "/opt/bin", "/etc/containerd/config.toml"): {"health-monitor", "kubelet", "/etc/containerd/config.toml"},
		} {
			for _, word := range words {
				if !strings.Contains(what, word) {
					t.Errorf("%s: %q is not in %s", machine, word, what)
				}
			}
		}
	}
	for _, machine := range append(f.machines(t), f.seedContainer()) {
		config := strings.Join(docker(t, "exec", machine, "containerd", "config", "dump"), "\n")
		if !strings.Contains(config, "stats_collect_period = '10s'") {
			t.Errorf("containerd of %s reads the cgroup of each container every second:\n%s", machine, config)
		}
	}
	for _, node := range f.nodeNames("") {
		look := f.kube("get", "node", node, "-o", `jsonpath={.status.nodeInfo.containerRuntimeVersion} {.spec.providerID} {.metadata.labels.worker\.gardener\.cloud/pool} {.spec.taints}`)
		if !strings.HasPrefix(look, "containerd://") || !strings.Contains(look, " local:///"+technical+"/"+node+" pool ") {
			t.Errorf("node %s: %s", node, look)
		}
		if strings.Contains(look, "critical-components-not-ready") {
			t.Errorf("node %s is still closed to pods: %s", node, look)
		}
	}
}

// orderMachine tries to order a machine, as somebody does who may write Secrets in the seed. Its container would have all rights on this machine.
func orderMachine(t *testing.T, f *fixture) {
	before := f.machines(t)
	manifest := func(namespace string) string {
		return f.File("order.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: thief, namespace: "+namespace+
			", labels: {machine.local.provider.extensions.gardener.cloud/runtime: container}}, type: machine.local.provider.extensions.gardener.cloud/container}")
	}
	for namespace, want := range map[string]string{technical: "only the machine-controller-manager of a shoot orders its machines", "default": "machines are ordered in namespaces of shoots only"} {
		for _, more := range [][]string{nil, {"--as=system:serviceaccount:" + namespace + ":default", "--as-group=system:masters"}} {
			if r := f.TryKubectl(f.Seed(), append([]string{"create", "-f", manifest(namespace)}, more...)...); r.Code == 0 || !strings.Contains(r.Stderr, want) {
				t.Errorf("in %s as %v: ends with %d: %s%s", namespace, more, r.Code, r.Stdout, r.Stderr)
			}
		}
	}
	if now := f.machines(t); !slices.Equal(now, before) {
		t.Errorf("machines are %v, were %v", now, before)
	}
}
