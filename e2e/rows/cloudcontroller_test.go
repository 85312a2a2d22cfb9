package rows

import (
	"strings"
	"testing"
	"time"
)

// cloudController checks that the provider's part of the control plane comes by the ControlPlane, and does what a cloud does.
func cloudController(t *testing.T, f *fixture) {
	const component = "cloud-controller-manager"
	deployment := []string{"-n", technical, "get", "deployment", component}
	if got := f.get(f.Seed(), deployment, `{.metadata.annotations.resources\.gardener\.cloud/origin}`); !strings.HasSuffix(got, technical+"/extension-controlplane-seed") {
		t.Errorf("the Deployment belongs to %q, not to the ManagedResource of the extension", got)
	}
	if got := f.get(f.Seed(), []string{"-n", technical, "get", "managedresource", "extension-controlplane-seed"}, `{.spec.class} {.status.conditions[?(@.type=="ResourcesHealthy")].status}`); got != "seed True" {
		t.Errorf("the ManagedResource has %q", got)
	}
	for _, process := range f.Processes() {
		if strings.Contains(process, component) {
			t.Errorf("an embedded seed needs a process for it: %s", process)
		}
	}
	t.Run("GLT-30 it gives load balancers the addresses of nodes", func(t *testing.T) {
		f.Kubectl(f.shoot, "create", "service", "loadbalancer", "cloud", "--tcp=18080:80")
		want := f.get(f.shoot, []string{"get", "nodes"}, `{.items[*].status.addresses[?(@.type=="InternalIP")].address}`)
		f.Eventually(30*time.Second, "the service has an address", func() (bool, string) {
			got := f.get(f.shoot, []string{"get", "service", "cloud"}, "{.status.loadBalancer.ingress[*].ip}")
			return len(strings.Fields(got)) == len(strings.Fields(want)) && got != "", got + ", want " + want
		})
		f.Kubectl(f.shoot, "delete", "service", "cloud")
	})
	t.Run("GLT-30 it removes a node whose machine is gone", func(t *testing.T) {
		for name, machine := range map[string]string{"lost": "local:///" + technical + "/lost", "foreign": "local:///shoot--local--other/lost"} {
			node := f.File("node-"+name+".yaml", `{apiVersion: v1, kind: Node, metadata: {name: `+name+`}, spec: {providerID: "`+machine+`", unschedulable: true}}`)
			f.Kubectl(f.shoot, "create", "-f", node)
		}
		f.Eventually(time.Minute, "the node without a machine goes", func() (bool, string) {
			got := f.Kubectl(f.shoot, "get", "nodes", "-o", "name")
			return !strings.Contains(got, "node/lost"), got
		})
		f.Kubectl(f.shoot, "delete", "node", "foreign") // fails if it is gone, too
	})
	t.Run("GLT-30 it comes back", func(t *testing.T) {
		f.Kubectl(f.Seed(), "-n", technical, "delete", "deployment", component)
		f.Eventually(2*time.Minute, "it is available", func() (bool, string) {
			r := f.TryKubectl(f.Seed(), append(deployment, "-o", "jsonpath={.status.availableReplicas}")...)
			return r.Code == 0 && r.Stdout == "1", r.Stdout + r.Stderr
		})
	})
}
