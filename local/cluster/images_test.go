package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/local/containerd"
	"github.com/gardener-up/gardener-up/local/containers"
)

func TestFromHost(t *testing.T) {
	node := containers.Container{IPs: map[string]string{Network: "172.18.0.3"}, Published: map[int]string{543: "127.0.0.1:3"}}
	got, err := fromHost(node, []int{543, 643})
	if want := map[int]string{543: "127.0.0.1:3", 643: "172.18.0.3:643"}; err != nil || !maps.Equal(got, want) {
		t.Errorf("PRT-4 ports are reached by %v, %v; want %v", got, err, want)
	}
	if _, err := fromHost(containers.Container{Name: "n"}, []int{643}); err == nil {
		t.Error("a node without an address is reached")
	}
}

func TestFindSystemImages(t *testing.T) {
	got, err := findSystemImages([]string{
		"registry.k8s.io/pause:3.10", "sha256:aaaa", "registry.k8s.io/kube-proxy@sha256:bbbb",
		"registry.k8s.io/kube-proxy-amd64:v1.36.3", "registry.k8s.io/coredns/coredns:v1.13.1",
	})
	want := SystemImages{KubeProxy: "registry.k8s.io/kube-proxy-amd64:v1.36.3", CoreDNS: "registry.k8s.io/coredns/coredns:v1.13.1"}
	if err != nil || got != want {
		t.Errorf("images are %+v, %v; want %+v", got, err, want)
	}
	if _, err := findSystemImages([]string{"registry.k8s.io/kube-proxy:v1.36.3"}); err == nil || !strings.Contains(err.Error(), "coredns") {
		t.Errorf("a node without CoreDNS: error is %v, want one that names it", err)
	}
}

func TestManifest(t *testing.T) {
	config := Config{Name: "gardener-x", NodeImage: "image", Kubeconfig: "/k", APIServerPort: 1, FrontDoorPort: 2, PodCIDR: "10.1.0.0/16", ServiceCIDR: "10.2.0.0/16"}
	if err := config.validate(); err != nil {
		t.Fatal(err)
	}
	manifest := config.manifest()
	node := manifest.Nodes[0]
	if manifest.Networking.APIServerPort != 1 || node.ExtraPortMappings[0].HostPort != 2 || node.ExtraPortMappings[0].ListenAddress != "127.0.0.1" || node.Image != "image" {
		t.Errorf("ARC-7 manifest is %+v", manifest)
	}
	if patches := manifest.ContainerdConfigPatches; !slices.Equal(patches, []string{containerd.Settings}) {
		t.Errorf("containerd is told %q", patches)
	}
	config.Published = map[int32]int32{643: 4, 543: 3}
	var published []string
	for _, mapping := range config.manifest().Nodes[0].ExtraPortMappings {
		published = append(published, fmt.Sprintf("%s:%d:%d", mapping.ListenAddress, mapping.HostPort, mapping.ContainerPort))
	}
	if want := []string{"127.0.0.1:2:443", "127.0.0.1:3:543", "127.0.0.1:4:643"}; !slices.Equal(published, want) {
		t.Errorf("PRT-4 published ports %v, want %v", published, want)
	}
	if len(node.ExtraMounts) > 0 {
		t.Errorf("directories of the host without backups: %v", node.ExtraMounts)
	}
	config.Backups = "/state/backups/local"
	if mounts := config.manifest().Nodes[0].ExtraMounts; len(mounts) != 1 || mounts[0].HostPath != config.Backups || mounts[0].ContainerPath != BackupDir || mounts[0].Readonly {
		t.Errorf("directories of the host %v", mounts)
	}
	config.FrontDoorPort = 0
	if err := config.validate(); err == nil {
		t.Error("a configuration without ports is accepted")
	}
}
