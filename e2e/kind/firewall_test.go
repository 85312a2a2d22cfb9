package kind

import (
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// chain is what the firewall is called in the nodes.
const chain = "E2E-OUTBOUND-ONLY"

// outboundOnly puts each node behind a firewall that lets connections out, and in only those of other nodes and of pods. Then it
// uses the shoot as its user does. The tunnel is made anew, since a firewall leaves old connections alone.
func outboundOnly(t *testing.T, f *fixture) {
	machines := f.machines(t)
	kubelets := f.kubelets(t)
	for _, kubelet := range kubelets {
		f.await(time.Minute, "without a firewall the seed connects to "+kubelet, func() (bool, string) {
			err := f.knockFromSeed(kubelet)
			return err == nil, fmt.Sprint(err)
		})
	}
	t.Cleanup(func() {
		for _, machine := range machines {
			inNode(t, machine, "iptables -w -D INPUT -i eth0 -j %[1]s; iptables -w -D FORWARD -i eth0 -j %[1]s; iptables -w -F %[1]s; iptables -w -X %[1]s", chain)
		}
	})
	friends := append(f.pods(), hosts(t, kubelets)...)
	for _, machine := range machines {
		inNode(t, machine, "set -e; iptables -w -N %[1]s; iptables -w -A %[1]s -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN; for from in %[2]s; do iptables -w -A %[1]s -s $from -j RETURN; done; "+
			"iptables -w -A %[1]s -j DROP; iptables -w -I INPUT -i eth0 -j %[1]s; iptables -w -I FORWARD -i eth0 -j %[1]s", chain, strings.Join(friends, " "))
	}
	for _, kubelet := range kubelets {
		if err := f.knockFromSeed(kubelet); err == nil {
			t.Errorf("the seed connects to %s through the firewall", kubelet)
		}
		if conn, err := net.DialTimeout("tcp", kubelet, 2*time.Second); err == nil {
			_ = conn.Close()
			t.Errorf("the machine connects to %s through the firewall", kubelet)
		}
	}
	begin := time.Now()
	tunnelAgain(t, f)
	execute(t, f)
	forward(t, f)
	for _, node := range f.nodeNames("") {
		if got := f.kube("get", "--raw", "/api/v1/nodes/"+node+"/proxy/healthz"); got != "ok" {
			t.Errorf("the kubelet of %s answers %q", node, got)
		}
		f.await(time.Minute, "node "+node+" tells the API server that it lives", func() (bool, string) {
			renewed := f.kube("-n", "kube-node-lease", "get", "lease", node, "-o", "jsonpath={.spec.renewTime}")
			at, err := time.Parse(time.RFC3339Nano, renewed)
			return err == nil && at.After(begin), renewed
		})
	}
}

// kubelets are the addresses of the kubelets of the shoot's nodes.
func (f *fixture) kubelets(t *testing.T) []string {
	addresses := strings.Fields(f.kube("get", "nodes", "-o", `jsonpath={.items[*].status.addresses[?(@.type=="InternalIP")].address}`))
	if len(addresses) == 0 {
		t.Fatal("there are no nodes")
	}
	for i, address := range addresses {
		addresses[i] = net.JoinHostPort(address, kubelet)
	}
	return addresses
}

// pods are the address ranges of pods.
func (f *fixture) pods() []string {
	return strings.Fields(f.kube("get", "nodes", "-o", "jsonpath={.items[*].spec.podCIDR}"))
}

func hosts(t *testing.T, addresses []string) []string {
	var out []string
	for _, address := range addresses {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, host)
	}
	return out
}

// knockFromSeed connects from the seed's node.
func (f *fixture) knockFromSeed(address string) error {
	host, port, _ := net.SplitHostPort(address)
	out, err := exec.Command("docker", "exec", f.seedContainer(), "timeout", "3", "bash", "-c", "</dev/tcp/"+host+"/"+port).CombinedOutput() //nolint:gosec // the test chooses the addresses
	if err != nil {
		return fmt.Errorf("connect from the seed to %s: %w: %s", address, err, out)
	}
	return nil
}

// inNode runs a script in a node.
func inNode(t *testing.T, machine, script string, words ...any) {
	t.Helper()
	docker(t, "exec", machine, "sh", "-c", fmt.Sprintf(script, words...))
}
