package kind

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// closedSystem closes kube-system, as users may, and lets pods with Gardener's labels try what these promise. That commands
// run in pods shows the tunnel at work.
func closedSystem(t *testing.T, f *fixture) {
	for _, name := range []string{"allow-dns", "allow-from-seed", "allow-to-dns", "allow-to-apiserver", "allow-to-kubelet", "allow-to-public-networks", "allow-vpn"} {
		f.kube("get", "networkpolicy", "-n", "kube-system", "gardener.cloud--"+name)
	}
	nodes := f.nodeNames("")
	manifest := []string{`{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: closed, namespace: kube-system}, spec: {podSelector: {}, policyTypes: [Ingress, Egress]}}`}
	add := func(namespace, name, label, node string) {
		manifest = append(manifest, fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: %s, labels: {e2e: trier, %s: allowed}}, spec: {terminationGracePeriodSeconds: 0,
			nodeName: %q, containers: [{name: echo, image: %q, args: [serve], readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}}]}}`, name, namespace, label, node, echo))
	}
	add("default", "user", "e2e/none", nodes[1])
	add("kube-system", "unlabelled", "e2e/none", nodes[1])
	add("kube-system", "dns", allowed+"dns", nodes[0])
	add("kube-system", "apiserver", allowed+"apiserver", nodes[1])
	add("kube-system", "kubelet", allowed+"kubelet", nodes[0])
	add("kube-system", "public", allowed+"public-networks", nodes[1])
	for n, node := range nodes {
		add("kube-system", fmt.Sprintf("from-seed-%d", n), "networking.gardener.cloud/from-seed", node)
	}
	file := f.File("closed.yaml", strings.Join(manifest, "\n---\n"))
	f.kube("apply", "-f", file)
	defer f.kube("delete", "-f", file, "--timeout=10m")
	for _, namespace := range []string{"default", "kube-system"} {
		f.kube("wait", "--for=condition=Ready", "pod", "-l", "e2e=trier", "-n", namespace, "--timeout=10m")
	}
	address := f.kube("get", "node", nodes[0], "-o", `jsonpath={.status.addresses[?(@.type=="InternalIP")].address}`)
	dns, apiServer := "kube-dns.kube-system.svc.cluster.local:53", f.kube("get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}")+":443"
	node, proxy := address+":"+kubelet, address+":10256"
	all := []string{dns, apiServer, node, proxy}
	f.awaitReach(t, f.kubeconfig(), all, map[string][]string{
		"default/user": all, "kube-system/unlabelled": nil, "kube-system/dns": {dns}, "kube-system/apiserver": {apiServer},
		"kube-system/kubelet": {node}, "kube-system/public": all,
	})
	f.networkReaches(t)
	if got, want := strings.Fields(f.kube("exec", "user", "--", "echo", "lookup", f.seedContainer()+".")), f.seedAddress(t); !slices.Contains(got, want) {
		t.Errorf("the name server learns %q from the one above, want %q", got, want)
	}
	for n := range nodes {
		name := fmt.Sprintf("from-seed-%d", n)
		if got := f.kube("get", "--raw", "/api/v1/namespaces/kube-system/pods/"+name+":8080/proxy/hostname"); got != name+"\n" {
			t.Errorf("the control plane reads %q from %s", got, name)
		}
	}
}
