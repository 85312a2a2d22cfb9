package trust

import (
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// refusal is in errors of an API server that dialled an address which it refuses.
const refusal = "belongs to this machine or to the landscape"

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
		"logs":                     {[]string{"-n", "default", "logs", "elsewhere"}, refusal},
		"logs without certificate": {[]string{"-n", "default", "logs", "elsewhere", "--insecure-skip-tls-verify-backend"}, refusal},
		"commands":                 {[]string{"-n", "default", "exec", "elsewhere", "--", "id"}, refusal},
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
