package rows

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	criticalTaint = "node.gardener.cloud/critical-components-not-ready"
	nodeTaints    = "{range .spec.taints[*]}{.key}={.effect} {end}"
)

// managedResources creates objects for the resource managers that run in process. Both watch the garden namespace of
// the seed: one for the garden, the one of class seed for the seed itself.
func managedResources(t *testing.T, f *fixture) {
	for _, cluster := range []struct{ name, class, kubeconfig, other string }{
		{"garden", "", f.Garden(), f.Seed()}, {"seed", "class: seed", f.Seed(), f.Garden()},
	} {
		f.Kubectl(f.Seed(), "apply", "-f", f.File("managed-"+cluster.name+".yaml", fmt.Sprintf(`
apiVersion: v1
kind: Secret
metadata: {name: rows-%[1]s, namespace: garden}
stringData:
  objects.yaml: |
    {apiVersion: v1, kind: ConfigMap, metadata: {name: rows, namespace: rows-%[1]s}, data: {for: %[1]s}}
    ---
    {apiVersion: v1, kind: Namespace, metadata: {name: rows-%[1]s}}
---
apiVersion: resources.gardener.cloud/v1alpha1
kind: ManagedResource
metadata: {name: rows-%[1]s, namespace: garden}
spec:
  secretRefs: [{name: rows-%[1]s}]
  %[2]s
`, cluster.name, cluster.class)))
		resource := []string{"-n", "garden", "get", "managedresource", "rows-" + cluster.name}
		f.Eventually(30*time.Second, "ManagedResource of the "+cluster.name, func() (bool, string) {
			got := f.get(f.Seed(), resource, "{range .status.conditions[*]}{.type}={.status} {end}")
			return strings.Contains(got, "ResourcesApplied=True") && strings.Contains(got, "ResourcesHealthy=True"), got
		})
		object := []string{"-n", "rows-" + cluster.name, "get", "configmap", "rows"}
		if got := f.get(cluster.kubeconfig, object, "{.data.for}"); got != cluster.name {
			t.Errorf("the object in the %s has %q", cluster.name, got)
		}
		if r := f.TryKubectl(cluster.other, object...); r.Code == 0 {
			t.Errorf("the object of the %s is in the other cluster, too", cluster.name)
		}
		f.Kubectl(cluster.kubeconfig, "-n", "rows-"+cluster.name, "patch", "configmap", "rows", "-p", `{"data":{"for":"nobody"}}`)
		f.Eventually(time.Minute, "the object is repaired", func() (bool, string) {
			got := f.get(cluster.kubeconfig, object, "{.data.for}")
			return got == cluster.name, got
		})
		f.Kubectl(f.Seed(), "-n", "garden", "delete", "managedresource", "rows-"+cluster.name, "--timeout=10m")
		if r := f.TryKubectl(cluster.kubeconfig, "get", "namespace", "rows-"+cluster.name); r.Code == 0 {
			t.Errorf("the namespace is still in the %s", cluster.name)
		}
		f.Kubectl(f.Seed(), "-n", "garden", "delete", "secret", "rows-"+cluster.name, "--timeout=10m")
	}
}

// admission tries requests that the seed refuses from all users.
func admission(t *testing.T, f *fixture) {
	for what, tc := range map[string]struct {
		args []string
		want string
	}{
		"an extension object":              {[]string{"-n", technical, "delete", "worker", "rows"}, "confirmation.gardener.cloud/deletion=true"},
		"all of a kind":                    {[]string{"-n", technical, "delete", "infrastructures", "--all"}, "confirmation.gardener.cloud/deletion=true"},
		"an etcd":                          {[]string{"-n", technical, "delete", "etcd", "etcd-main"}, "confirmation.gardener.cloud/deletion=true"},
		"a definition":                     {[]string{"delete", "crd", "workers.extensions.gardener.cloud"}, "confirmation.gardener.cloud/deletion=true"},
		"a change of what is immutable":    {[]string{"-n", technical, "patch", "infrastructure", "rows", "--type=merge", "-p", `{"spec":{"region":"other"}}`}, "region is immutable"},
		"an infrastructure without secret": {[]string{"-n", technical, "patch", "infrastructure", "rows", "--type=merge", "-p", `{"spec":{"secretRef":{"name":""}}}`}, "spec.secretRef.name is missing"},
		"the removal of a worker's pools":  {[]string{"-n", technical, "patch", "worker", "rows", "--type=merge", "-p", `{"spec":{"pools":[]}}`}, "spec.pools is missing"},
	} {
		f.Eventually(time.Minute, what+" is refused", func() (bool, string) { // also while a pod of the admission is not ready, but for that reason
			r := f.TryKubectl(f.Seed(), tc.args...)
			return r.Code != 0 && strings.Contains(r.Stderr, tc.want), r.Stderr
		})
	}
}

// shootWebhooks checks what the webhooks inside the shoot changed in the DNS server.
func shootWebhooks(t *testing.T, f *fixture) {
	dns := []string{"-n", "kube-system", "get", "deployment", "coredns"}
	if got := f.get(f.shoot, dns, "{.spec.replicas} {.spec.template.spec.topologySpreadConstraints[*].topologyKey}"); got != "2 kubernetes.io/hostname" {
		t.Errorf("deployment: %s", got)
	}
	pods := []string{"-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-dns"}
	const path = `{range .items[*]}{.spec.topologySpreadConstraints[0].labelSelector.matchLabels.pod-template-hash} {.spec.nodeSelector.worker\.gardener\.cloud/system-components}{"\n"}{end}`
	for _, pod := range strings.Split(strings.TrimSpace(f.get(f.shoot, pods, path)), "\n") {
		if fields := strings.Fields(pod); len(fields) != 2 || fields[1] != "true" {
			t.Errorf("pod: %q", pod)
		}
	}
}

// criticalNodes replaces a machine while a critical component cannot run on the new node.
func criticalNodes(t *testing.T, f *fixture) {
	f.Kubectl(f.shoot, "apply", "-f", f.File("critical.yaml", `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: rows-critical, namespace: kube-system, labels: {node.gardener.cloud/critical-component: "true"}}
spec:
  selector: {matchLabels: {app: rows-critical}}
  template:
    metadata: {labels: {app: rows-critical, node.gardener.cloud/critical-component: "true"}}
    spec:
      nodeSelector: {worker.gardener.cloud/pool: two}
      tolerations: [{operator: Exists}]
      containers: [{name: main, image: registry.example.org/critical, resources: {requests: {cpu: "100000"}}}]
`))
	nodes := []string{"get", "nodes", "-l", "worker.gardener.cloud/pool=two"}
	old := f.get(f.shoot, nodes, "{.items[*].metadata.name}")
	if got := f.get(f.shoot, []string{"get", "node", old}, nodeTaints); strings.Contains(got, criticalTaint) {
		t.Errorf("NOD-7 the old node has the taint again: %s", got)
	}
	machine := f.seed("machines", `{.items[?(@.metadata.labels.node=="`+old+`")].metadata.name}`)
	f.Kubectl(f.Seed(), "-n", technical, "delete", "machine", machine, "--timeout=10m")
	node := ""
	f.Eventually(2*time.Minute, "a new node", func() (bool, string) {
		node = strings.TrimSpace(strings.ReplaceAll(f.get(f.shoot, nodes, "{.items[*].metadata.name}"), old, ""))
		return node != "" && !strings.Contains(node, " "), node
	})
	f.Kubectl(f.shoot, "wait", "node", node, "--for=condition=Ready", "--timeout=10m")
	taints := func() string { return f.get(f.shoot, []string{"get", "node", node}, nodeTaints) }

	if got := taints(); !strings.Contains(got, criticalTaint+"=NoSchedule") {
		t.Errorf("NOD-1 the new node has taints %s", got)
	}
	f.Kubectl(f.shoot, "run", "rows-workload", "--image=registry.example.org/workload", "--overrides",
		`{"spec":{"automountServiceAccountToken":false,"nodeSelector":{"kubernetes.io/hostname":"`+node+`"}}}`)
	workload := []string{"get", "pod", "rows-workload"}
	f.Eventually(time.Minute, "kube-proxy runs in spite of the taint", func() (bool, string) {
		got := f.get(f.shoot, []string{"-n", "kube-system", "get", "pods", "-l", "role=proxy,pool=two", "--field-selector", "spec.nodeName=" + node}, "{.items[*].status.phase}")
		return got == "Running", got
	})
	f.Eventually(30*time.Second, "NOD-6 the workload waits because of the taint", func() (bool, string) {
		got := f.get(f.shoot, workload, `{.status.phase} {.status.conditions[?(@.type=="PodScheduled")].message}`)
		return strings.HasPrefix(got, "Pending") && strings.Contains(got, "untolerated taint"), got
	})
	if got := taints(); !strings.Contains(got, criticalTaint) { // the other taint is tolerated, or rather only avoided
		t.Errorf("NOD-3 the taint is gone before the component runs: %s", got)
	}

	f.Kubectl(f.shoot, "-n", "kube-system", "delete", "daemonset", "rows-critical")
	f.Eventually(time.Minute, "NOD-2 the taint goes", func() (bool, string) {
		got := taints()
		return !strings.Contains(got, criticalTaint), got
	})
	f.Eventually(time.Minute, "NOD-6 the workload runs", func() (bool, string) {
		got := f.get(f.shoot, workload, "{.status.phase}")
		return got == "Running", got
	})
	f.Kubectl(f.shoot, "delete", "pod", "rows-workload", "--timeout=10m")
}

// criticalComponents checks the components that Gardener itself marks as critical.
func criticalComponents(t *testing.T, f *fixture) {
	const path = `{range .items[*]}{.metadata.labels.node\.gardener\.cloud/critical-component} {.spec.template.metadata.labels.node\.gardener\.cloud/critical-component} {.spec.template.spec.tolerations[?(@.effect=="NoSchedule")].operator}{"\n"}{end}`
	sets := strings.TrimSpace(f.get(f.shoot, []string{"-n", "kube-system", "get", "daemonsets", "-l", "role=proxy"}, path))
	if want := "true true Exists\ntrue true Exists"; sets != want {
		t.Errorf("daemon sets of two pools:\n%s\nwant\n%s", sets, want)
	}
	cache := strings.TrimSpace(f.get(f.shoot, []string{"-n", "kube-system", "get", "daemonsets", "-l", "k8s-app=node-local-dns"}, path))
	if want := "true true Exists"; cache != want {
		t.Errorf("daemon set of the DNS cache: %q, want %q", cache, want)
	}
	f.Eventually(time.Minute, "both nodes have a DNS cache", func() (bool, string) {
		got := f.get(f.shoot, []string{"-n", "kube-system", "get", "daemonset", "node-local-dns"}, "{.status.desiredNumberScheduled} {.status.numberReady}")
		return got == "2 2", got
	})
}
