package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/gardener-up/gardener-up/appliance/seeds/callbacks"
	"github.com/gardener-up/gardener-up/appliance/seeds/entry"
	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	gatewaypods "github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/embedded/webhook"
	"github.com/gardener-up/gardener-up/local"
	"github.com/gardener-up/gardener-up/local/api"
	localdns "github.com/gardener-up/gardener-up/local/dns"
)

// ErrNoImage says why the landscape refuses a cluster with nodes on other machines: the configuration names no image for them.
var ErrNoImage = errors.New("the nodes of this cluster have no source for the container image of this binary: push it to a registry that they reach, " +
	"and name it as image in the configuration of the landscape")

// Nodes hosts a seed on a cluster with nodes on other machines: they pull the appliance image from a registry. Providers other
// than local make the machines of shoots.
type Nodes struct {
	in    Inputs
	entry entry.Address
}

// Inputs are what a Nodes needs to know.
type Inputs struct {
	Client     kubernetes.Interface // of the cluster
	Image      string               // the appliance image, which the nodes pull from a registry
	Zone       localdns.Zone        // as the seed may change it
	NameServer string               // host:port of the one that serves Zone
	Backups    string               // directory of the local provider
	Calls      *callbacks.Callbacks // of the seed to this process
}

// NewNodes returns the hosting for a cluster.
func NewNodes(in Inputs) *Nodes {
	n := &Nodes{in: in}
	n.entry = entry.Remember(n.findEntry)
	return n
}

// gatewayService is the Service that orders a load balancer for the front door of the seed.
func gatewayService() *corev1.Service {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: gatewaypods.Namespace, Name: gatewaypods.Name},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Selector: gatewaypods.Usual().Labels},
	}
	ports := gatewaypods.UsualPorts
	for name, port := range map[string]int32{"tls": ports.TLS, "proxy": ports.Proxy, "tls-tunnel": ports.Tunnel} {
		service.Spec.Ports = append(service.Spec.Ports, corev1.ServicePort{Name: name, Port: port, TargetPort: intstr.FromInt32(port)})
	}
	return service
}

// Prepare requests the load balancer early, because making one takes a while.
func (n *Nodes) Prepare(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: gatewaypods.Namespace}}
	if _, err := n.in.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make namespace of the front door: %w", err)
	}
	_, err := n.in.Client.CoreV1().Services(gatewaypods.Namespace).Create(ctx, gatewayService(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make service of the front door: %w", err)
	}
	return nil
}

// Leave has nothing to do: the gardenlet removes the namespace.
func (n *Nodes) Leave(context.Context) error { return nil }

// Stop implements Hosting; no machines of shoots run on this machine.
func (n *Nodes) Stop(context.Context) error { return nil }

// FrontDoor implements Hosting.
func (n *Nodes) FrontDoor(ctx context.Context) (string, error) { return n.entry(ctx) }

// findEntry returns host:port of the load balancer. Without one it returns a node: the front door has the same port on every
// node.
func (n *Nodes) findEntry(ctx context.Context) (string, error) {
	service, err := n.in.Client.CoreV1().Services(gatewaypods.Namespace).Get(ctx, gatewaypods.Name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("read service of the front door: %w", err)
	}
	nodes, err := n.in.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("list nodes of the seed: %w", err)
	}
	host := entryOf(service, nodes.Items)
	if host == "" {
		return "", errors.New("neither the front door's Service nor a node of the seed has an address")
	}
	return net.JoinHostPort(host, strconv.Itoa(int(gatewaypods.UsualPorts.TLS))), nil
}

// entryOf prefers the address that changes least: the load balancer, then the external address of a node, then an internal one.
func entryOf(service *corev1.Service, nodes []corev1.Node) string {
	if service != nil {
		for _, ingress := range service.Status.LoadBalancer.Ingress {
			if ingress.IP != "" {
				return ingress.IP
			}
			if ingress.Hostname != "" {
				return ingress.Hostname
			}
		}
	}
	for _, kind := range []corev1.NodeAddressType{corev1.NodeExternalIP, corev1.NodeInternalIP} {
		for i := range nodes {
			for _, address := range nodes[i].Status.Addresses {
				if address.Type == kind {
					return address.Address
				}
			}
		}
	}
	return ""
}

// CallsBack implements Hosting.
func (n *Nodes) CallsBack() bool { return false }

// Calls implements Hosting.
func (n *Nodes) Calls(server string) webhook.Way { return n.in.Calls.Way(server) }

// Pods implements remote.Hosting: nodes run containers.
func (*Nodes) Pods() *podsignature.Signer { return nil }

// OwnerServer implements Hosting. An etcd of such a cluster must not go on without an answer: its seed may be cut off from this process, and nobody
// would stop its machines.
func (*Nodes) OwnerServer() string { return "" }

// Backups implements remote.Hosting: nodes are other machines, which do not have the directories of the local provider.
func (*Nodes) Backups() string { return "" }

// Adapt publishes the seed's own front door for its shoots: machines elsewhere reach it as users do.
func (n *Nodes) Adapt(c *gardenlet.Config) {
	c.ShootConfig = func(kubeconfig []byte) (*rest.Config, error) { return entry.ShootConfig(n.entry, kubeconfig) }
	c.FrontDoorInSeed, c.ResourceManager, c.Tunnel = true, true, true
	n.in.Calls.Adapt(c)
	ctx, cancel := context.WithTimeout(context.Background(), entry.AnswerTimeout)
	defer cancel()
	if address, err := n.FrontDoor(ctx); err == nil {
		c.FrontDoorAddress, _, _ = net.SplitHostPort(address)
		c.FrontDoorPort = int(gatewaypods.UsualPorts.TLS)
	}
}

// AddProvider implements Hosting.
func (n *Nodes) AddProvider(mgr manager.Manager) error {
	if err := n.in.Calls.AddToManager(mgr); err != nil {
		return err
	}
	return local.AddToManager(mgr, local.Config{
		Zone: n.in.Zone, BackupDir: n.in.Backups, Image: n.in.Image, Machines: api.Containers, Resolver: dns.Resolver(n.in.NameServer),
		Webhook:    n.Calls(callback.ProviderLocal),
		NoMachines: "the nodes of the seed are not on this machine; use a provider that makes machines where the seed runs",
	})
}
