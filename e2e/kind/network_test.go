package kind

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// podNetwork is the ManagedResource with the network of the shoot.
const podNetwork = "managedresource/extension-networking-local"

// network reads what the Network says about the nodes, breaks its daemon and mends it. The container of a broken pod is gone, but the
// rules and routes that it has made still connect pods.
func network(t *testing.T, f *fixture) {
	yes := true
	f.awaitNetwork(t, "True", networkTold{Components: map[string]bool{"podnet": true}, NetworkModules: map[string]bool{"kube-proxy": true}, ConnectivityTests: connections{&yes, &yes}})
	if got := f.kube("get", "configmap", "network-config", "-n", "kube-system", "-o", "jsonpath={.data.type} {.data.podCIDR} {.data.simulated}"); got != "calico 100.96.0.0/11 true" {
		t.Errorf("the configuration of the network is %q", got)
	}
	const label = `.labels.node\.gardener\.cloud/critical-component`
	if got := f.kube("get", "daemonset", "podnet", "-n", "kube-system", "-o", "jsonpath={.metadata"+label+"} {.spec.template.metadata"+label+"}"); got != "true true" {
		t.Errorf("labels for critical components are %q", got)
	}

	f.Kubectl(f.Seed(), "-n", technical, "annotate", podNetwork, "resources.gardener.cloud/ignore=true")
	defer f.Kubectl(f.Seed(), "-n", technical, "annotate", podNetwork, "resources.gardener.cloud/ignore-")
	f.kube("set", "image", "daemonset/podnet", "podnet=e2e.test/missing:1", "-n", "kube-system")
	f.awaitNetwork(t, "False", networkTold{Components: map[string]bool{"podnet": false}, NetworkModules: map[string]bool{"kube-proxy": true}, ConnectivityTests: connections{&yes, &yes}})
}

// networkMended waits until the daemon is restored.
func networkMended(t *testing.T, f *fixture) {
	yes := true
	f.awaitNetwork(t, "True", networkTold{Components: map[string]bool{"podnet": true}, NetworkModules: map[string]bool{"kube-proxy": true}, ConnectivityTests: connections{&yes, &yes}})
}

// networkReaches asks a pod that tries connections, as the provider does, and checks that users cannot ask it.
func (f *fixture) networkReaches(t *testing.T) {
	t.Helper()
	pods := strings.Fields(f.kube("get", "pods", "-n", "kube-system", "-l", "app=connectivity-test", "-o", `jsonpath={range .items[*]}{.metadata.name} {.status.podIP}:8080{"\n"}{end}`))
	if len(pods) != 4 {
		t.Fatalf("pods that try connections are %q, want those of two nodes", pods)
	}
	service := f.kube("get", "service", "connectivity-test", "-n", "kube-system", "-o", "jsonpath={.spec.clusterIP}:{.spec.ports[0].port}")
	answer := f.kube("get", "--raw", "/api/v1/namespaces/kube-system/pods/"+pods[0]+":8080/proxy/try?to="+pods[3]+"&to="+service)
	got := map[string]string{}
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	if diff := cmp.Diff(map[string]string{pods[3]: "", service: ""}, got); diff != "" {
		t.Errorf("NWX-4 connections of the pod (-want +got):\n%s", diff)
	}
	f.awaitReach(t, f.kubeconfig(), []string{pods[1]}, map[string][]string{"default/user": nil})
}

// networkTold is what was measured, in the status of the Network.
type networkTold struct {
	Components, NetworkModules map[string]bool
	ConnectivityTests          connections
	NotMeasured                string
}

type connections struct{ Pods, Services *bool }

// awaitNetwork waits for a condition and for what was measured. A change of the ManagedResource makes the provider look at once.
func (f *fixture) awaitNetwork(t *testing.T, status string, want networkTold) {
	t.Helper()
	looks := 0
	f.await(3*time.Minute, "the network is "+status, func() (bool, string) {
		looks++
		f.TryKubectl(f.Seed(), "-n", technical, "annotate", "--overwrite", podNetwork, fmt.Sprintf("e2e.test/look=%d", looks))
		r := f.TryKubectl(f.Seed(), "-n", technical, "get", "network", shootName, "-o", `jsonpath={.status.conditions[?(@.type=="SystemComponentsHealthy")].status} {.status.providerStatus}`)
		condition, measured, _ := strings.Cut(r.Stdout, " ")
		var told networkTold
		if err := json.Unmarshal([]byte(measured), &told); err != nil {
			return false, r.Stdout + r.Stderr
		}
		delete(told.NetworkModules, "node-local-dns") // another step decides about it
		diff := cmp.Diff(want, told)
		return condition == status && diff == "", fmt.Sprintf("condition %s, status (-want +got):\n%s", condition, diff)
	})
}
