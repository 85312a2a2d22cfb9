package containers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// networkHealth breaks the way to the pods of a node, by taking away the socket at which it hands over connections, and mends it.
func networkHealth(t *testing.T, f *fixture) {
	const technical = "shoot--local--local"
	network := []string{"-n", technical, "get", "network", "local", "-o", `jsonpath={.status.conditions[?(@.type=="SystemComponentsHealthy")].status} {.status.providerStatus}`}
	tells := func(what string, wanted ...string) {
		t.Helper()
		f.Eventually(2*time.Minute, what, func() (bool, string) {
			// a change of the ManagedResource makes the provider look at once
			f.TryKubectl(f.Seed(), "-n", technical, "annotate", "--overwrite", "managedresource", "extension-networking-local", "e2e.test/look="+time.Now().Format("150405.000"))
			said := f.Kubectl(f.Seed(), network...)
			for _, part := range wanted {
				if !strings.Contains(said, part) {
					return false, said
				}
			}
			return true, said
		})
	}
	tells("the network is well", "True ", `"components":{"pod-network":true}`, `"networkModules":{"name-server":true}`, `"connectivityTests":{"pods":true,"services":true}`)
	if said := f.Kubectl(f.Seed(), network...); strings.Contains(said, "notMeasured") {
		t.Errorf("something was not measured: %s", said)
	}
	sockets, err := filepath.Glob(filepath.Join(f.StateDir, "*", "nodes", technical, "*"))
	if err != nil || len(sockets) != 2 {
		t.Fatalf("sockets of the nodes: %v, %v", sockets, err)
	}
	away := sockets[0] + ".away"
	if err := errors.Join(os.Link(sockets[0], away), os.Remove(sockets[0])); err != nil {
		t.Fatal(err)
	}
	tells("a node is not reached", "False ", `"components":{"pod-network":false}`, `"networkModules":{"name-server":true}`, `"connectivityTests":{"pods":false,"services":true}`)
	f.Eventually(time.Minute, "the shoot tells it", func() (bool, string) {
		said := f.Kubectl(f.Garden(), "-n", "garden-local", "get", "shoot", "local", "-o", `jsonpath={.status.conditions[?(@.type=="SystemComponentsHealthy")]}`)
		return strings.Contains(said, `"False"`) && strings.Contains(said, "PodNetworkServes"), said
	})
	if err := errors.Join(os.Link(away, sockets[0]), os.Remove(away)); err != nil {
		t.Fatal(err)
	}
	tells("the network is well again", "True ", `"components":{"pod-network":true}`, `"connectivityTests":{"pods":true,"services":true}`)
}
