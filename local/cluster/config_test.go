package cluster

import (
	"testing"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

func TestManifestOfSeveralNodes(t *testing.T) {
	made := Config{
		Name: "x", FrontDoorPort: 1, Published: map[int32]int32{ProxyProtocolPort: 2}, Backups: "/backups",
		Others: []Node{{Published: map[int32]int32{TLSPort: 3}}, {Published: map[int32]int32{TLSPort: 4}}},
	}.manifest()
	want := []struct {
		role  v1alpha4.NodeRole
		ports map[int32]int32
	}{
		{v1alpha4.ControlPlaneRole, map[int32]int32{TLSPort: 1, ProxyProtocolPort: 2}},
		{v1alpha4.WorkerRole, map[int32]int32{TLSPort: 3}}, {v1alpha4.WorkerRole, map[int32]int32{TLSPort: 4}},
	}
	if len(made.Nodes) != len(want) {
		t.Fatalf("%d nodes, want %d", len(made.Nodes), len(want))
	}
	for i, node := range made.Nodes {
		if node.Role != want[i].role || len(node.ExtraPortMappings) != len(want[i].ports) {
			t.Errorf("node %d is %s with ports %v", i, node.Role, node.ExtraPortMappings)
		}
		for _, port := range node.ExtraPortMappings {
			if port.HostPort != want[i].ports[port.ContainerPort] || port.ListenAddress != "127.0.0.1" {
				t.Errorf("node %d publishes %d as %s:%d", i, port.ContainerPort, port.ListenAddress, port.HostPort)
			}
		}
		if len(node.ExtraMounts) != 1 || node.ExtraMounts[0].ContainerPath != BackupDir {
			t.Errorf("node %d has no directory for backups: %v", i, node.ExtraMounts)
		}
	}
}
