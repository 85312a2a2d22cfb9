package trust

import (
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// refusal is in errors of an API server that dialled an address which it refuses.
const refusal = "belongs to this machine or to the landscape"

// privateRefusal is in errors of an API server that dialled an address in a private network.
const privateRefusal = "tenants.privateNetworks"

// noKubelet is in errors of an API server that dialled an address which no kubelet of the shoot has.
const noKubelet = "none of the servers that this cluster owns (machines." + technical + ".svc)"

// listener stands for any server of this machine.
type listener struct {
	port    string
	reached atomic.Int64
}

func newListener(t *testing.T) *listener {
	t.Helper()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	out := &listener{}
	_, out.port, _ = net.SplitHostPort(server.Addr().String())
	go func() {
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			out.reached.Add(1)
			_ = conn.Close()
		}
	}()
	return out
}

// addressesInShoot tries to reach this machine by what a user writes as the address of a node, of a pod, and of the pod of
// a Service.
func addressesInShoot(f *fixture) {
	server := newListener(f.t)
	f.Kubectl(f.shoot, "create", "-f", f.File("elsewhere.yaml", fmt.Sprintf(`apiVersion: v1
kind: Node
metadata: {name: elsewhere}
spec: {taints: [{key: elsewhere, effect: NoExecute}]}
status:
  addresses: [{type: InternalIP, address: 127.0.0.1}]
  daemonEndpoints: {kubeletEndpoint: {Port: %[1]s}}
---
apiVersion: v1
kind: Pod
metadata: {name: elsewhere, namespace: default, labels: {run: elsewhere}}
spec:
  nodeName: elsewhere
  tolerations: [{operator: Exists}]
  containers: [{name: a, image: example.org/a, ports: [{containerPort: %[1]s}]}]
---
apiVersion: v1
kind: Service
metadata: {name: elsewhere, namespace: default}
spec: {ports: [{port: 443, targetPort: %[1]s}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: elsewhere, namespace: default}
subsets: [{addresses: [{ip: 10.11.12.13, targetRef: {kind: Pod, name: elsewhere, namespace: default}}], ports: [{port: %[1]s}]}]
`, server.port)))
	f.Kubectl(f.shoot, "-n", "default", "patch", "pod", "elsewhere", "--subresource=status", "--type=merge", "-p", `{"status":{"phase":"Running","podIP":"127.0.0.1","podIPs":[{"ip":"127.0.0.1"}]}}`)
	for name, try := range map[string]struct {
		args []string
		want string
	}{
		"logs":                     {[]string{"-n", "default", "logs", "elsewhere"}, noKubelet},
		"logs without certificate": {[]string{"-n", "default", "logs", "elsewhere", "--insecure-skip-tls-verify-backend"}, noKubelet},
		"commands":                 {[]string{"-n", "default", "exec", "elsewhere", "--", "id"}, noKubelet},
		"ports of a pod":           {[]string{"get", "--raw", "/api/v1/namespaces/default/pods/http:elsewhere:" + server.port + "/proxy/"}, "address not allowed"},
		"ports of a node":          {[]string{"get", "--raw", "/api/v1/nodes/http:elsewhere:" + server.port + "/proxy/"}, "address not allowed"},
		"ports of a Service":       {[]string{"get", "--raw", "/api/v1/namespaces/default/services/http:elsewhere:443/proxy/"}, ""},
	} {
		result := f.TryKubectl(f.shoot, try.args...)
		if result.Code == 0 || !strings.Contains(result.Stderr+result.Stdout, try.want) {
			f.t.Errorf("%s: code %d: %s%s", name, result.Code, result.Stdout, result.Stderr)
		}
	}
	if n := server.reached.Load(); n > 0 {
		f.t.Errorf("this machine was reached %d times", n)
	}
	f.Kubectl(f.shoot, "-n", "default", "delete", "pod", "elsewhere", "--force", "--grace-period=0")
	f.Kubectl(f.shoot, "delete", "node", "elsewhere")
}

// kubeletsOfOthers tries to reach port 10250 of other pods of the seed, on the address that a user writes into the status of a Node.
// The user needs no certificate for that, because logs are also fetched from kubelets whose certificate is not verified.
func kubeletsOfOthers(f *fixture) {
	f.Kubectl(f.shoot, "create", "-f", f.File("neighbour.yaml", `apiVersion: v1
kind: Node
metadata: {name: neighbour}
spec: {taints: [{key: elsewhere, effect: NoExecute}]}
status: {daemonEndpoints: {kubeletEndpoint: {Port: 10250}}}
---
apiVersion: v1
kind: Pod
metadata: {name: neighbour, namespace: default}
spec:
  nodeName: neighbour
  tolerations: [{operator: Exists}]
  containers: [{name: a, image: example.org/a}]
`))
	for name, address := range map[string]string{
		"webhooks of the control plane": f.Kubectl(f.Seed(), "-n", technical, "get", "pods", "-l", "app=gardener-resource-manager", "-o", "jsonpath={.items[0].status.podIP}"),
		"the kubelet of the seed":       f.Kubectl(f.Seed(), "get", "nodes", "-o", "jsonpath={.items[0].status.addresses[?(@.type=='InternalIP')].address}"),
		"a private network":             "192.168.77.77",
		"a public address":              "192.0.2.1",
	} {
		f.Kubectl(f.shoot, "patch", "node", "neighbour", "--subresource=status", "--type=merge", "-p", `{"status":{"addresses":[{"type":"InternalIP","address":"`+address+`"}]}}`)
		for _, args := range [][]string{{"-n", "default", "logs", "neighbour", "--insecure-skip-tls-verify-backend"}, {"get", "--raw", "/api/v1/nodes/https:neighbour:10250/proxy/healthz"}} {
			f.Eventually(time.Minute, "the new address is dialled", func() (bool, string) {
				result := f.TryKubectl(f.shoot, args...)
				said := result.Stderr + result.Stdout
				refused := strings.Contains(said, noKubelet) && strings.Contains(said, address) || strings.Contains(said, "address not allowed")
				return result.Code != 0 && refused, fmt.Sprintf("%s (%s): code %d: %s", name, address, result.Code, said)
			})
		}
	}
	pod := strings.Fields(f.Kubectl(f.shoot, "-n", "kube-system", "get", "pods", "-o", "jsonpath={.items[*].metadata.name}"))[0]
	f.Kubectl(f.shoot, "-n", "kube-system", "logs", pod, "--tail=1") // kubelets of the shoot are reached
	f.Kubectl(f.shoot, "-n", "default", "delete", "pod", "neighbour", "--force", "--grace-period=0")
	f.Kubectl(f.shoot, "delete", "node", "neighbour")
}
