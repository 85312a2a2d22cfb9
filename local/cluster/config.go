package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/gardener-up/gardener-up/local/containerd"
)

// Ports of the seed's node that are published on the host or used by the nodes of shoots. See GEP-08 and PRT-1.
const (
	// TLSPort is the port on which the front door routes TLS connections by server name.
	TLSPort = 443
	// ProxyProtocolPort accepts the same connections with a PROXY protocol header.
	ProxyProtocolPort = 8443
	// TunnelPort accepts the tunnels of shoots.
	TunnelPort = 8132
)

// BackupDir is where the nodes of a seed have the directory of the host for backups.
const BackupDir = "/var/lib/gardener-backups"

// Config of a kind cluster. All fields but NodeImage, Published, Others, Zones and Backups are required.
type Config struct {
	// Name of the kind cluster, as kind get clusters shows it. Its first node is called <Name>-control-plane.
	Name string
	// NodeImage is the image of the node; the default is that of the kind library.
	NodeImage string
	// Kubeconfig is the file for the administrator's kubeconfig, 0600.
	Kubeconfig string
	// APIServerPort and FrontDoorPort are free ports of the host's address 127.0.0.1. They lead to the cluster's API
	// server and to its TLSPort.
	APIServerPort, FrontDoorPort int32
	// Published are free ports of the host's address 127.0.0.1 for further TCP ports of the node. An existing cluster
	// keeps the ports it was made with.
	Published map[int32]int32
	// Others are the nodes beside the first one. All nodes run pods. Only the first one runs the control plane of the cluster.
	Others []Node
	// Zones are those of the nodes, which take turns: the label topology.kubernetes.io/zone of the first node is the first one.
	Zones []string
	// Backups is the directory of the host that the nodes have as BackupDir. It is made if needed. An existing cluster keeps the one it
	// was made with, or none.
	Backups string
	// PodCIDR and ServiceCIDR are the ranges of the cluster.
	PodCIDR, ServiceCIDR string
	// Program is the gardener binary, whose component calls the kind library. Default: the program of this process, which then has to be it.
	Program string
}

// Node is a node beside the first one.
type Node struct {
	// Published are free ports of the host's address 127.0.0.1 by TCP ports of the node.
	Published map[int32]int32
}

// NodeName is the name of the cluster's first node and of its container.
func (c Config) NodeName() string { return NodeName(c.Name) }

// NodeName is the name of the first node of a cluster and of its container.
func NodeName(cluster string) string { return cluster + "-control-plane" }

// NodeNames are the names of all nodes and of their containers, the first node first. The kind library chooses them.
func (c Config) NodeNames() []string {
	names := []string{c.NodeName()}
	for i := range c.Others {
		name := c.Name + "-worker"
		if i > 0 {
			name += strconv.Itoa(i + 1)
		}
		names = append(names, name)
	}
	return names
}

// manifest returns the configuration in kind's format.
func (c Config) manifest() *v1alpha4.Cluster {
	cluster := &v1alpha4.Cluster{
		TypeMeta: v1alpha4.TypeMeta{APIVersion: "kind.x-k8s.io/v1alpha4", Kind: "Cluster"},
		Name:     c.Name,
		Networking: v1alpha4.Networking{
			APIServerAddress: "127.0.0.1", APIServerPort: c.APIServerPort,
			PodSubnet: c.PodCIDR, ServiceSubnet: c.ServiceCIDR,
		},
		ContainerdConfigPatches: []string{containerd.Settings},
	}
	published := maps.Clone(c.Published)
	if published == nil {
		published = map[int32]int32{}
	}
	published[TLSPort] = c.FrontDoorPort
	cluster.Nodes = []v1alpha4.Node{c.node(v1alpha4.ControlPlaneRole, published)}
	for _, other := range c.Others {
		cluster.Nodes = append(cluster.Nodes, c.node(v1alpha4.WorkerRole, other.Published))
	}
	v1alpha4.SetDefaultsCluster(cluster)
	return cluster
}

func (c Config) node(role v1alpha4.NodeRole, published map[int32]int32) v1alpha4.Node {
	node := v1alpha4.Node{Role: role, Image: c.NodeImage, KubeadmConfigPatches: []string{kubeletPatch, patiencePatch, joinPatch}}
	for _, port := range slices.Sorted(maps.Keys(published)) {
		node.ExtraPortMappings = append(node.ExtraPortMappings, v1alpha4.PortMapping{
			ContainerPort: port, HostPort: published[port], ListenAddress: "127.0.0.1", Protocol: v1alpha4.PortMappingProtocolTCP,
		})
	}
	if c.Backups != "" {
		node.ExtraMounts = []v1alpha4.Mount{{HostPath: c.Backups, ContainerPath: BackupDir}}
	}
	return node
}

// kubeletPatch allows the pods of several control planes on one node. It also lets the kubelet run on hosts with
// cgroups of version 1, which the kubelet refuses by default since 1.35.
var kubeletPatch = strings.TrimSpace(`
kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
maxPods: 500
failCgroupV1: false
`)

// patiencePatch gives a busy machine or a slow disk more time than kubeadm's defaults, of which the call of the API server has one minute
// (kubeadm.k8s.io/v1beta4, type Timeouts). Only a cluster that fails takes that long. Older node images have v1beta3 and their defaults.
var patiencePatch = strings.TrimSpace(`
kind: InitConfiguration
` + timeouts)

// joinPatch is patiencePatch for the other nodes.
var joinPatch = strings.TrimSpace(`
kind: JoinConfiguration
` + timeouts)

const timeouts = `apiVersion: kubeadm.k8s.io/v1beta4
timeouts:
  controlPlaneComponentHealthCheck: 10m
  kubeletHealthCheck: 10m
  kubernetesAPICall: 5m
  etcdAPICall: 5m
  tlsBootstrap: 10m
`

func (c Config) validate() error {
	for field, value := range map[string]string{
		"name": c.Name, "kubeconfig": c.Kubeconfig, "pod range": c.PodCIDR, "service range": c.ServiceCIDR,
	} {
		if value == "" {
			return fmt.Errorf("configuration of a kind cluster lacks its %s", field)
		}
	}
	if c.APIServerPort <= 0 || c.FrontDoorPort <= 0 {
		return fmt.Errorf("configuration of kind cluster %s lacks its ports", c.Name)
	}
	return nil
}
