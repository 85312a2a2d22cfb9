package node

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"os"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
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

// Sandboxes says where a node has its sandboxes, and what the pods in them reach.
type Sandboxes struct {
	// Dir has the programs and the images of all sandboxes of the landscape.
	Dir layout.Dir
	// Cluster is the name of the cluster of the node, which no other cluster of the landscape has.
	Cluster string
	// Servers are the host and port of servers of the landscape behind Services of the cluster. Its API server is behind the Service
	// default/kubernetes.
	Servers map[types.NamespacedName]string
	// Client reads the Services, pods and policies of the cluster. Nil means the client of the node, which needs the right to do so.
	Client *rest.Config
	// Ports opens node ports and ports of load balancers at the address of the node.
	Ports bool
	// Outside is what pods reach outside of the machine.
	Outside Outside
	// SimulateMissing simulates containers whose images cannot be pulled.
	SimulateMissing bool
	// Mirrors are asked for images before their registries.
	Mirrors Mirrors
}

// APIServer is the Service of a cluster's API server.
var APIServer = types.NamespacedName{Namespace: "default", Name: "kubernetes"}

// sandboxesOfShoot are those of a kubelet that is a process in a pod of an embedded seed; nil if it has none.
func sandboxesOfShoot() (*Sandboxes, error) {
	dir := layout.FromEnvironment()
	if dir == "" {
		return nil, nil
	}
	outside, err := parseOutside(os.Getenv(outsideVariable))
	if err != nil {
		return nil, err
	}
	mirrors, err := parseMirrors(os.Getenv(mirrorsVariable))
	if err != nil {
		return nil, err
	}
	cluster := cmp.Or(os.Getenv(layout.ClusterVariable), "node")
	return &Sandboxes{
		Dir: dir, Cluster: cluster, Ports: true, Outside: outside, SimulateMissing: os.Getenv(missingVariable) != missingValue(false), Mirrors: mirrors,
		Servers: map[types.NamespacedName]string{APIServer: net.JoinHostPort("kube-apiserver."+cluster+".svc", apiServerPort)},
	}, nil
}

// openSandboxes are the sandboxes of a node while it runs.
type openSandboxes struct {
	Sandboxes
	images  *imagestore.Store
	spawner *pod.Spawner
	// group is the control group of the node's pods. Its zero value means that there is none: then the node measures their memory.
	group groups.Group
	close func()
}

// peers is the directory in which the nodes of the cluster, and only these, have sockets for each other.
func (o *openSandboxes) peers() string { return o.Dir.Peers(o.Cluster) }

// open starts what the node needs to run sandboxes. The caller closes the result.
func (c Config) open(s Sandboxes) (*openSandboxes, error) {
	images, err := imagestore.Open(s.Dir.Images())
	if err != nil {
		return nil, err
	}
	programs, err := sandbox.Unpack(s.Dir.Programs())
	if err != nil {
		return nil, fmt.Errorf("prepare sandboxes: %w", err)
	}
	root, err := groups.Read(s.Dir.Group())
	if err != nil {
		return nil, err
	}
	group, closeGroup, err := c.openGroup(root.Group, s.Cluster)
	if err != nil {
		return nil, err
	}
	spawner, err := pod.NewSpawner(programs)
	if err != nil {
		closeGroup()
		return nil, err
	}
	return &openSandboxes{Sandboxes: s, images: images, spawner: spawner, group: group, close: func() { spawner.Stop(); closeGroup() }}, nil
}

// landscape are the addresses of embedded seeds and shoots: the loopback range without the part that programs use for themselves.
var landscape = []netip.Prefix{netip.MustParsePrefix("127.64.0.0/10"), netip.MustParsePrefix("127.128.0.0/9")}
