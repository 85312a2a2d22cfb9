package frontdoor

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// Namespace and Name of the default ingress gateway.
	Namespace = "istio-ingress"
	Name      = "istio-ingressgateway"
)

// Ports are the only ports that a gateway opens on a node (PRT-1).
type Ports struct {
	// TLS connections are routed by server name.
	TLS int32
	// Proxy accepts connections that begin with a PROXY protocol header.
	Proxy int32
	// Tunnel accepts the tunnels of shoots.
	Tunnel int32
}

// UsualPorts are the ports of the gateway for shoots without an exposure class.
var UsualPorts = Ports{TLS: 443, Proxy: 8443, Tunnel: 8132}

// Gateway is one front door of a seed.
type Gateway struct {
	Namespace, Name string
	// Image is the appliance image.
	Image string
	// Handler of exposure classes that the gateway serves; empty for the default gateway.
	Handler string
	// Labels of its pods.
	Labels map[string]string
	// Selector selects the Gateways of the shoots behind it; nil if all are.
	Selector map[string]string
	Ports    Ports
}

// Usual returns the only gateway of a seed without handlers of exposure classes.
func Usual() Gateway {
	return Gateway{Namespace: Namespace, Name: Name, Labels: usualLabels(), Ports: UsualPorts}
}

// Gateways returns the gateways of a configuration with all defaults: the default gateway, and one for each handler of exposure
// classes, at the given ports. Their pods use the appliance image.
func Gateways(c *config.GardenletConfiguration, image string, ports map[string]Ports) []Gateway {
	usual := Usual()
	if len(c.ExposureClassHandlers) > 0 {
		usual.Selector = c.SNI.Ingress.Labels
	}
	gateways := []Gateway{usual}
	for i := range c.ExposureClassHandlers {
		handler := &c.ExposureClassHandlers[i]
		gateways = append(gateways, Gateway{
			Namespace: *handler.SNI.Ingress.Namespace, Name: *handler.SNI.Ingress.ServiceName, Handler: handler.Name,
			Labels: handler.Selector(), Selector: handler.Selector(), Ports: ports[handler.Name],
		})
	}
	for i := range gateways {
		gateways[i].Image = image
	}
	return gateways
}

// Stale returns the objects to delete if a namespace belongs to a handler that the seed no longer has. Deleting the
// namespace deletes all other objects of the gateway.
func Stale(namespace *corev1.Namespace, gateways []Gateway) []client.Object {
	handler := namespace.Labels[constants.LabelExposureClassHandlerName]
	if namespace.Labels[constants.GardenRole] != constants.GardenRoleExposureClassHandler || handler == "" {
		return nil
	}
	var out []client.Object
	if !slices.ContainsFunc(gateways, func(g Gateway) bool { return g.Handler == handler }) {
		out = append(out, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: Gateway{Handler: handler}.global()}})
	}
	if !slices.ContainsFunc(gateways, func(g Gateway) bool { return g.Namespace == namespace.Name }) {
		out = append(out, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace.Name}})
	}
	return out
}

// namespaceLabels are the labels of its namespace other than those about security.
func (g Gateway) namespaceLabels() map[string]string {
	if g.Handler == "" {
		return map[string]string{constants.GardenRole: constants.GardenRoleIstioIngress}
	}
	return map[string]string{
		constants.GardenRole: constants.GardenRoleExposureClassHandler, constants.LabelExposureClassHandlerName: g.Handler,
	}
}

// podSelector stays the same when the configuration of the handler changes.
func (g Gateway) podSelector() map[string]string {
	if g.Handler == "" {
		return usualLabels()
	}
	return g.namespaceLabels()
}

// global is the name of the cluster-scoped objects of the gateway.
func (g Gateway) global() string {
	if g.Handler == "" {
		return clusterRole
	}
	return clusterRole + ":" + g.Handler
}

func (g Gateway) labels() map[string]string { return maps.Clone(g.Labels) }

func usualLabels() map[string]string {
	return map[string]string{"app": Name, "istio": "ingressgateway"}
}
