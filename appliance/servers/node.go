package servers

import (
	"net/netip"
	"path/filepath"
	"strconv"

	kubeletconfig "k8s.io/kubelet/config/v1beta1"

	"github.com/gardener-up/gardener-up/appliance/binaries"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/node"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// keptBinaries are the versions of this binary that pods of the node run.
func keptBinaries(p paths.Paths) binaries.Binaries {
	return binaries.Binaries{Dir: p.Binaries(), Own: image.Version}
}

// embeddedNode is the one node of an embedded seed.
func embeddedNode(in NetworkInputs) *node.Node {
	kubelet := &kubeletconfig.KubeletConfiguration{Port: config.KubeletPort, ClusterDomain: "cluster.local"}
	kubelet.Authentication.X509.ClientCAFile = in.PKI.Seed.ClientCA
	kubelet.TLSCertFile, kubelet.TLSPrivateKeyFile = in.PKI.NodeServer.Cert, in.PKI.NodeServer.Key
	dir := in.Paths.Node("seed")
	sandboxes := ""
	var own *node.Sandboxes
	if in.Containers.Sandboxes {
		sandboxes = in.Shared.Sandboxes()
		own = in.sandboxes()
		kubelet.ClusterDNS = []string{in.Cluster.NameServerIP}
	}
	return node.New(node.Config{
		Name: in.Cluster.Name, RootDir: dir, CertDir: filepath.Join(dir, "pki"),
		Client: in.Seed("node", in.PKI.Seed.Node).Config(), Kubelet: kubelet,
		NodeIP: netip.MustParseAddr(in.Cluster.NodeIP), PodRange: netip.MustParsePrefix(in.Cluster.PodCIDR),
		Genuine: in.PKI.Pods.Verifier().Verify, Image: in.Image, Volumes: in.Paths.Volumes(), Tasks: tasks(), Kept: keptBinaries(in.Paths).Of, DNS: in.Ports.Local(DNS),
		APIServerHost: "127.0.0.1", APIServerPort: strconv.Itoa(int(in.Ports[SeedAPIServer])),
		Sandboxes: own, NodeSandboxes: sandboxes, NodeSimulateMissing: in.Containers.Missing, NodeMirrors: in.Containers.Mirrors, NodeVolumes: in.Shared.Volumes(), NodeOutside: in.Containers.Outside,
		PassEnv: []string{"GOCOVERDIR"}, Version: in.Version, Begin: in.Containers.Begin, Log: in.Log.WithName(Node),
	})
}

// sandboxes are those of pods of the seed that the landscape has not made, above all of extensions. No Service of the seed opens ports of
// this machine: the front doors have those.
func (in NetworkInputs) sandboxes() *node.Sandboxes {
	return &node.Sandboxes{
		Dir: layout.Dir(in.Shared.Sandboxes()), Cluster: "seed-" + in.Cluster.Name, Outside: in.Containers.Outside, SimulateMissing: in.Containers.Missing, Mirrors: in.Containers.Mirrors,
		Servers: in.services(), Client: in.SeedClient(), // nodes of a seed have no right to read all of it
	}
}
