package node

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/embedded/noexec"
	"github.com/gardener-up/gardener-up/embedded/sandbox"
	"github.com/gardener-up/gardener-up/embedded/sandbox/groups"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
	"github.com/gardener-up/gardener-up/embedded/sandbox/pod"
)

// apiServerPort is the port of a shoot's API server at the Service kube-apiserver in the namespace of its control plane.
const apiServerPort = "6443"

// missingVariable is the variable that lets kubelets that are processes of an embedded node simulate containers whose images cannot be pulled.
const missingVariable = "GARDENER_SIMULATE_MISSING_IMAGES"

// missingValue is the value of the variable; empty means no.
func missingValue(simulate bool) string {
	if simulate {
		return "true"
	}
	return ""
}

// openSandboxes starts what a kubelet needs to run sandboxes, or returns nil if it has none. It must be called before startNothing.
func openSandboxes(c Config) (s *Sandboxes, stop func(), err error) {
	dir := layout.FromEnvironment()
	if dir == "" {
		return nil, func() {}, nil
	}
	outside, err := parseOutside(os.Getenv(outsideVariable))
	if err != nil {
		return nil, nil, err
	}
	images, err := imagestore.Open(dir.Images())
	if err != nil {
		return nil, nil, err
	}
	programs, err := sandbox.Unpack(dir.Programs())
	if err != nil {
		return nil, nil, fmt.Errorf("prepare sandboxes: %w", err)
	}
	cluster := cmp.Or(os.Getenv(layout.ClusterVariable), "node")
	root, err := groups.Read(dir.Group())
	if err != nil {
		return nil, nil, err
	}
	group, closeGroup, err := c.openGroup(root.Group, cluster)
	if err != nil {
		return nil, nil, err
	}
	spawner, err := pod.NewSpawner(programs)
	if err != nil {
		closeGroup()
		return nil, nil, err
	}
	return &Sandboxes{
		Spawner: spawner, Images: images, Cluster: cluster, Peers: dir.Peers(cluster),
		APIServer: net.JoinHostPort("kube-apiserver."+cluster+".svc", apiServerPort), Outside: outside, Group: group,
		SimulateMissing: os.Getenv(missingVariable) != missingValue(false),
	}, func() { spawner.Stop(); closeGroup() }, nil
}

// landscape are the addresses of embedded seeds and shoots: the loopback range without the part that programs use for themselves.
var landscape = []netip.Prefix{netip.MustParsePrefix("127.64.0.0/10"), netip.MustParsePrefix("127.128.0.0/9")}

// startNothing takes the ability to start programs from a kubelet that is a process of an embedded node.
func startNothing() error {
	if os.Getenv(EmbeddedVariable) == "" {
		return nil
	}
	return noexec.Forbid()
}
