package kind

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
)

var policies = []step{
	{"NET-8 the network of the seed enforces policies", enforced, true},
	{"pods in the seed are ready to try connections", startTriers, false},
	{"APP-36 nft on a node shows the rules with their policies", listed, true},
	{"NET-1 NET-2 NET-4 NET-8 pods of the seed reach what their labels say", byLabels, true},
	{"NET-5 blocked ranges stay blocked", blockedRanges, true},
	{"NET-7 the way to the API server follows its endpoints", apiServerEndpoints, true},
	{"pods in the seed are gone", endTriers, true},
	{"NWX-2 NWX-3 NWX-4 NWX-5 the network of the shoot tells its health", network, true},
	{"NET-3 NET-8 kube-system of the shoot works when it is closed", closedSystem, true},
	{"NWX-4 the network of the shoot is healthy again", networkMended, true},
}

// otherTechnical is a namespace like that of another shoot's control plane.
const otherTechnical = "shoot--local--other"

// Addresses that lead to the first node of the shoot, whose kubelet answers: on the Internet, in a private network, of a
// cloud's metadata, and one that the test blocks later.
const (
	onInternet = "198.51.100.7"
	onPrivate  = "192.168.77.7"
	ofMetadata = "169.254.169.254"
	toBlock    = "198.51.100.200"
	kubelet    = "10250"
)

const allowed = "networking.gardener.cloud/to-"

// triers are pods of the seed and the labels that allow them connections, without the labels' common prefix. The pod
// named everything has all of these labels and those of the components of a control plane.
var triers = map[string][]string{
	"default/free":               nil,
	"garden/unlabelled":          nil,
	technical + "/unlabelled":    nil,
	technical + "/dns":           {"dns"},
	technical + "/public":        {"public-networks"},
	technical + "/private":       {"private-networks"},
	technical + "/apiserver":     {"runtime-apiserver"},
	technical + "/shoot":         {"shoot-networks"},
	technical + "/blocked":       {"blocked-cidrs"},
	technical + "/everything":    {"dns", "public-networks", "private-networks", "runtime-apiserver", "shoot-networks", "blocked-cidrs"},
	otherTechnical + "/everyone": {"dns", "public-networks", "private-networks", "runtime-apiserver", "shoot-networks", "blocked-cidrs"},
}

// enforced waits for the finding of the gardenlet's probe.
func enforced(_ *testing.T, f *fixture) {
	f.await(2*time.Minute, "policies are enforced", func() (bool, string) {
		r := f.TryKubectl(f.Garden(), "get", "seed", "local", "-o", `jsonpath={.status.conditions[?(@.type=="NetworkPoliciesEnforced")].status}`)
		return r.Stdout == "True", r.Stdout + r.Stderr
	})
}

// listed looks for policies of the shoot's control plane, whose pods are on the node of the seed.
func listed(t *testing.T, f *fixture) {
	policies := strings.Fields(f.Kubectl(f.Seed(), "get", "networkpolicies", "-n", technical, "-o", "jsonpath={.items[*].metadata.name}"))
	command := follow.Sentence(t, "docs/kind.md", "nft list table ip podnet")
	rules := strings.Join(docker(t, append([]string{"exec", f.seedContainer()}, strings.Fields(command)...)...), "\n")
	found := 0
	for _, policy := range policies {
		if strings.Contains(rules, fmt.Sprintf("comment \"%s/%s\"", technical, policy)) {
			found++
		}
	}
	if found == 0 {
		t.Errorf("none of the policies %q is in the rules:\n%s", policies, rules)
	}
}

// startTriers starts the pods, whose probes show that policies do not come between a pod and its kubelet, and leads the
// addresses to the node.
func startTriers(t *testing.T, f *fixture) {
	components := f.componentLabels()
	manifest := []string{fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {gardener.cloud/role: shoot}}}", otherTechnical)}
	for _, key := range slices.Sorted(maps.Keys(triers)) {
		namespace, name, _ := strings.Cut(key, "/")
		labels := []string{"e2e: trier"}
		for _, label := range triers[key] {
			labels = append(labels, allowed+label+": allowed")
		}
		if strings.HasPrefix(name, "every") {
			labels = append(labels, components...)
		}
		manifest = append(manifest, fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: %s, labels: {%s}}, spec: {terminationGracePeriodSeconds: 0,
			automountServiceAccountToken: false, containers: [{name: echo, image: %q, args: [serve], readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}}]}}`,
			name, namespace, strings.Join(labels, ", "), echo))
	}
	f.Kubectl(f.Seed(), "apply", "-f", f.File("triers.yaml", strings.Join(manifest, "\n---\n")))
	node := f.machines(t)[0]
	for _, address := range []string{onInternet, onPrivate, ofMetadata, toBlock} {
		docker(t, "exec", node, "ip", "address", "add", address+"/32", "dev", "lo")
		docker(t, "exec", f.seedContainer(), "ip", "route", "replace", address+"/32", "via", addressOf(t, node))
	}
	for _, namespace := range []string{"default", "garden", technical, otherTechnical} {
		f.Kubectl(f.Seed(), "wait", "--for=condition=Ready", "pod", "-l", "e2e=trier", "-n", namespace, "--timeout=10m")
	}
}

// componentLabels open ways inside of a control plane: all that pods of the shoot's have.
func (f *fixture) componentLabels() []string {
	var out []string
	for field := range strings.FieldsSeq(f.Kubectl(f.Seed(), "get", "pods", "-n", technical, "-o", `jsonpath={range .items[*]}{.metadata.labels}{" "}{end}`)) {
		for pair := range strings.SplitSeq(strings.Trim(field, "{}"), ",") {
			name, value, _ := strings.Cut(pair, ":")
			if label := strings.Trim(name, `"`) + ": " + strings.Trim(value, `"`); strings.HasPrefix(label, "networking.resources.gardener.cloud/to-") && !slices.Contains(out, label) {
				out = append(out, label)
			}
		}
	}
	return out
}

// byLabels lets each pod try every connection. The result of the pod free shows that the targets answer at all.
func byLabels(t *testing.T, f *fixture) {
	etcd, apiServer, resourceManager := f.podIP("etcd-main-0")+":2379", f.podIP("app=kubernetes,role=apiserver")+":6443", f.podIP("app=gardener-resource-manager")+":10250"
	dns := "kube-dns.kube-system.svc.cluster.local:53"
	node := addressOf(t, f.machines(t)[0]) + ":" + kubelet
	seed := f.seedAddress(t) + ":6443"
	pod := f.Kubectl(f.Seed(), "get", "pod", "unlabelled", "-n", technical, "-o", "jsonpath={.status.podIP}") + ":8080"
	internet, private, metadata := onInternet+":"+kubelet, onPrivate+":"+kubelet, ofMetadata+":"+kubelet
	all := []string{dns, internet, private, metadata, seed, node, etcd, apiServer, resourceManager, pod}
	want := map[string][]string{
		"default/free":               {dns, internet, private, metadata, seed, node, apiServer}, // which is open to everybody who may go there
		"garden/unlabelled":          nil,
		technical + "/unlabelled":    {pod}, // itself
		technical + "/dns":           {dns},
		technical + "/public":        {internet},
		technical + "/private":       {private},
		technical + "/apiserver":     {seed},
		technical + "/shoot":         {node},
		technical + "/blocked":       nil, // there are none yet
		technical + "/everything":    {dns, internet, private, seed, node, etcd, apiServer, resourceManager},
		otherTechnical + "/everyone": {dns, internet, private, seed},
	}
	f.awaitReach(t, f.Seed(), all, want)
}

// blockedRanges blocks a range in the Seed and opens it again.
func blockedRanges(t *testing.T, f *fixture) {
	targets := []string{onInternet + ":" + kubelet, toBlock + ":" + kubelet, ofMetadata + ":" + kubelet}
	f.Kubectl(f.Garden(), "patch", "seed", "local", "--type=merge", "-p", `{"spec":{"networks":{"blockCIDRs":["169.254.169.254/32","198.51.100.128/25"]}}}`)
	f.awaitReach(t, f.Seed(), targets, map[string][]string{
		technical + "/public": targets[:1], technical + "/private": nil, technical + "/blocked": targets[1:], technical + "/everything": targets,
	})
	f.Kubectl(f.Garden(), "patch", "seed", "local", "--type=merge", "-p", `{"spec":{"networks":{"blockCIDRs":null}}}`)
	f.awaitReach(t, f.Seed(), targets, map[string][]string{technical + "/public": targets[:2], technical + "/blocked": nil})
}

// apiServerEndpoints adds an endpoint that serves nobody, so that no request is sent to it, and removes it.
func apiServerEndpoints(t *testing.T, f *fixture) {
	node := addressOf(t, f.machines(t)[0])
	targets := []string{f.seedAddress(t) + ":6443", node + ":" + kubelet}
	slice := f.File("endpoint.yaml", fmt.Sprintf(`{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4,
		metadata: {name: kubernetes-e2e, namespace: default, labels: {kubernetes.io/service-name: kubernetes}},
		endpoints: [{addresses: [%q], conditions: {ready: false, serving: false}}], ports: [{name: https, port: %s, protocol: TCP}]}`, node, kubelet))
	f.Kubectl(f.Seed(), "apply", "-f", slice)
	f.awaitReach(t, f.Seed(), targets, map[string][]string{technical + "/apiserver": targets, technical + "/unlabelled": nil})
	f.Kubectl(f.Seed(), "delete", "-f", slice)
	f.awaitReach(t, f.Seed(), targets, map[string][]string{technical + "/apiserver": targets[:1]})
}

func endTriers(t *testing.T, f *fixture) {
	for _, address := range []string{onInternet, onPrivate, ofMetadata, toBlock} {
		docker(t, "exec", f.seedContainer(), "ip", "route", "delete", address+"/32")
		docker(t, "exec", f.machines(t)[0], "ip", "address", "delete", address+"/32", "dev", "lo")
	}
	f.Kubectl(f.Seed(), "delete", "-f", f.Dir+"/triers.yaml", "--timeout=10m", "--ignore-not-found") // a pod may go with its namespace before its turn
}

// awaitReach waits until each pod reaches exactly the expected targets. All pods try at the same time.
func (f *fixture) awaitReach(t *testing.T, kubeconfig string, targets []string, want map[string][]string) {
	t.Helper()
	got := map[string][]string{}
	f.await(time.Minute, "connections are as wanted", func() (bool, string) {
		for key, reached := range f.reach(kubeconfig, slices.Collect(maps.Keys(want)), targets) {
			got[key] = reached
		}
		diff := cmp.Diff(want, got)
		return diff == "", "(-want +got):\n" + diff
	})
}

// reach returns for each pod the targets it can connect to; nil for none.
func (f *fixture) reach(kubeconfig string, pods, targets []string) map[string][]string {
	type answer struct {
		pod     string
		reached []string
	}
	answers := make(chan answer, len(pods))
	for _, key := range pods {
		go func() {
			namespace, name, _ := strings.Cut(key, "/")
			r := f.TryKubectl(kubeconfig, append([]string{"exec", "-n", namespace, name, "--", "echo", "reach"}, targets...)...)
			reached := strings.Fields(r.Stdout)
			if r.Code != 0 {
				reached = []string{"exec: " + strings.TrimSpace(r.Stderr)}
			}
			if len(reached) == 0 {
				reached = nil
			}
			answers <- answer{key, reached}
		}()
	}
	out := map[string][]string{}
	for range pods {
		a := <-answers
		out[a.pod] = a.reached
	}
	return out
}

// podIP is the address of a pod of the control plane, by its name or by labels.
func (f *fixture) podIP(which string) string {
	args := []string{"get", "pods", "-n", technical, "-o", "jsonpath={.items[0].status.podIP}"}
	if strings.Contains(which, "=") {
		return f.Kubectl(f.Seed(), append(args, "-l", which)...)
	}
	return f.Kubectl(f.Seed(), append(args, "--field-selector=metadata.name="+which)...)
}

// addressOf is the address of a container in Docker's network.
func addressOf(t testing.TB, container string) string {
	return docker(t, "inspect", "--format", "{{range .NetworkSettings.Networks}}{{println .IPAddress}}{{end}}", container)[0]
}
