package containers

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// balanced are a load balancer of the three pods with names, one that wants the port of the kubelet, and one whose endpoints are a server of
// the machine.
const balanced = `apiVersion: v1
kind: Service
metadata: {name: outer}
spec: {type: LoadBalancer, selector: {app: names}, ports: [{port: 18080, targetPort: web}]}
---
apiVersion: v1
kind: Service
metadata: {name: greedy}
spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, selector: {app: names}, ports: [{port: 10250, targetPort: web}]}
---
apiVersion: v1
kind: Service
metadata: {name: misled}
spec: {type: NodePort, ports: [{port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: misled, labels: {kubernetes.io/service-name: misled}}
addressType: IPv4
endpoints: [{addresses: ["%s"]}]
ports: [{port: %d}]
`

func balancers(t *testing.T, f *fixture) {
	victim, err := net.Listen("tcp", "127.77.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer victim.Close()
	reached := make(chan struct{})
	go func() {
		if conn, err := victim.Accept(); err == nil {
			close(reached) // before the client learns of the end
			_ = conn.Close()
		}
	}()
	at := netip.MustParseAddrPort(victim.Addr().String())
	f.Kubectl(f.shoot, "rollout", "status", "deployment/names", "--timeout=10m")
	f.Kubectl(f.shoot, "apply", "-f", f.File("balanced.yaml", fmt.Sprintf(balanced, at.Addr(), at.Port())))
	nodes := strings.Fields(f.Kubectl(f.shoot, "get", "nodes", "-o", `jsonpath={.items[*].status.addresses[?(@.type=="InternalIP")].address}`))
	slices.Sort(nodes)
	f.Eventually(time.Minute, "the load balancer has the addresses of both nodes", func() (bool, string) {
		said := strings.Fields(f.Kubectl(f.shoot, "get", "service", "outer", "-o", "jsonpath={.status.loadBalancer.ingress[*].ip}"))
		slices.Sort(said)
		return len(nodes) == 2 && slices.Equal(said, nodes), fmt.Sprint(said, nodes)
	})
	nodePort := f.Kubectl(f.shoot, "get", "service", "outer", "-o", "jsonpath={.spec.ports[0].nodePort}")
	for _, node := range nodes {
		for _, port := range []string{"18080", nodePort} {
			f.reachesAll("http://"+net.JoinHostPort(node, port), 3)
		}
	}
	if r := f.TryKubectl(f.shoot, "exec", "web", "--", program, "get", "http://"+nodes[0]+":18080"); !strings.HasPrefix(r.Stdout, "names-") {
		t.Errorf("a pod of the shoot gets %s%s", r.Stdout, r.Stderr)
	}
	t.Run("APP-13 with session affinity a client gets one pod from all nodes", func(t *testing.T) {
		f.Kubectl(f.shoot, "patch", "service", "outer", "-p", `{"spec": {"sessionAffinity": "ClientIP"}}`)
		f.Eventually(time.Minute, "answers come from one pod", func() (bool, string) {
			seen := map[string]bool{}
			for range 10 {
				for _, node := range nodes {
					seen[fetch("http://"+node+":18080")] = true
				}
			}
			return len(seen) == 1, fmt.Sprint(seen)
		})
	})
	t.Run("APP-14 a Service takes no port of the node, and an event says so", func(t *testing.T) {
		f.Eventually(time.Minute, "the event is there", func() (bool, string) {
			said := f.Kubectl(f.shoot, "get", "events", "--field-selector", "involvedObject.name=greedy", "-o", "jsonpath={.items[*].reason}")
			return strings.Contains(said, "PortReserved"), said
		})
		f.Kubectl(f.shoot, "logs", "asks") // by the kubelet at this port
	})
	t.Run("APP-14 a Service leads to no server of the machine", func(t *testing.T) {
		number := f.Kubectl(f.shoot, "get", "service", "misled", "-o", "jsonpath={.spec.ports[0].nodePort}")
		f.Eventually(time.Minute, "the port is open", func() (bool, string) {
			conn, err := net.Dial("tcp", net.JoinHostPort(nodes[0], number))
			if err != nil {
				return false, err.Error()
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			n, err := conn.Read(make([]byte, 1))
			return n == 0, fmt.Sprint(err)
		})
		select {
		case <-reached:
			t.Error("the server of the machine was reached")
		default:
		}
	})
	f.Kubectl(f.shoot, "delete", "service/outer", "service/greedy", "service/misled", "endpointslice/misled")
	f.Eventually(time.Minute, "the ports are closed", func() (bool, string) {
		for _, node := range nodes {
			for _, port := range []string{"18080", nodePort} {
				if conn, err := net.Dial("tcp", net.JoinHostPort(node, port)); err == nil {
					_ = conn.Close()
					return false, node + ":" + port + " is open"
				}
			}
		}
		return true, ""
	})
}

// reachesAll waits until so many pods have answered.
func (f *fixture) reachesAll(url string, pods int) {
	f.t.Helper()
	seen := map[string]bool{}
	f.Eventually(time.Minute, url+" leads to "+strconv.Itoa(pods)+" pods", func() (bool, string) {
		said := fetch(url)
		if strings.HasPrefix(said, "names-") {
			seen[said] = true
		}
		return len(seen) == pods, fmt.Sprint(seen, said)
	})
}
