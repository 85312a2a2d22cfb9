package appliance

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

	"github.com/gardener-up/gardener-up/controllers/gardenlet"
	gatewaypods "github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
	"github.com/gardener-up/gardener-up/embedded/dns"
	"github.com/gardener-up/gardener-up/local"
	"github.com/gardener-up/gardener-up/local/api"
)

// errNoImage is why clusters with nodes elsewhere are not served unless the configuration tells where they get the image.
var errNoImage = errors.New("the nodes of this cluster can get the container image of this binary from nowhere: push it to a registry that they reach, " +
	"and name it as image in the configuration of the landscape")

// otherNodes is hosting by a cluster whose nodes are none of this machine's: they pull the appliance image from a registry. Machines
// of its shoots are for other providers to make.
type otherNodes struct {
	a      *appliance
	zone   *dns.Zone
	client kubernetes.Interface
	entry  *lookup
}

func (s *seeds) otherNodes(c kubernetes.Interface) (hosting, error) {
	if s.a.Config.Image == "" {
		return nil, errNoImage
	}
	o := &otherNodes{a: s.a, zone: s.zone, client: c}
	o.entry = &lookup{find: o.findEntry}
	return o, nil
}

// gatewayService is what a load balancer in front of the seed's front door is ordered by.
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

// prepare orders the load balancer early: making one takes its time.
func (o *otherNodes) prepare(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: gatewaypods.Namespace}}
	if _, err := o.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make namespace of the front door: %w", err)
	}
	_, err := o.client.CoreV1().Services(gatewaypods.Namespace).Create(ctx, gatewayService(), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make service of the front door: %w", err)
	}
	return nil
}

// leave has nothing to do: the gardenlet removes the namespace.
func (o *otherNodes) leave(context.Context) error { return nil }

func (o *otherNodes) stop(context.Context) error { return nil }

func (o *otherNodes) frontDoor(ctx context.Context) (string, error) { return o.entry.get(ctx) }

// findEntry is the load balancer, or without one a node, each of which has the front door at the same port.
func (o *otherNodes) findEntry(ctx context.Context) (string, error) {
	service, err := o.client.CoreV1().Services(gatewaypods.Namespace).Get(ctx, gatewaypods.Name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("read service of the front door: %w", err)
	}
	nodes, err := o.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("list nodes of the seed: %w", err)
	}
	host := entryOf(service, nodes.Items)
	if host == "" {
		return "", errors.New("neither the front door's Service nor a node of the seed has an address")
	}
	return net.JoinHostPort(host, strconv.Itoa(int(gatewaypods.UsualPorts.TLS))), nil
}

// entryOf prefers what lasts: a load balancer, then the outer address of a node, then its inner one.
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

func (o *otherNodes) callsBack() bool { return false }

// adapt publishes the seed's own front door for its shoots: machines elsewhere have to reach it as users do.
func (o *otherNodes) adapt(c *gardenlet.Config) {
	c.ShootConfig = func(kubeconfig []byte) (*rest.Config, error) { return shootConfigVia(o.frontDoor, kubeconfig) }
	c.FrontDoorInSeed, c.ResourceManager, c.Tunnel = true, true, true
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	if address, err := o.frontDoor(ctx); err == nil {
		c.FrontDoorAddress, _, _ = net.SplitHostPort(address)
		c.FrontDoorPort = int(gatewaypods.UsualPorts.TLS)
	}
}

func (o *otherNodes) addProvider(mgr manager.Manager) error {
	return local.AddToManager(mgr, local.Config{
		Zone: o.zone, BackupDir: o.a.Paths.Backups(), Machines: api.Containers,
		NoMachines: "the seed's nodes are none of this machine's; use a provider that makes machines where the seed is",
	})
}
