// Package nodelocaldns builds the DNS cache on the nodes of a shoot: a DaemonSet in the host network that answers from
// its cache and forwards other queries to CoreDNS. The resource manager of the shoot applies it. If the cache cannot
// take over the address of the Service of CoreDNS, the configuration of the kubelet must make pods use the cache; see
// Address.
package nodelocaldns

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
)

// Resource is the name of the ManagedResource.
const Resource = "shoot-core-node-local-dns"

// Address is the address of the cache on every node. With kube-proxy in mode IPVS it is the cluster DNS of the kubelet,
// since IPVS binds the addresses of Services on each node. In other modes the cache also listens on the address of the
// Service, and pods need no change.
const Address = "169.254.20.10"

// UpstreamService leads to CoreDNS if the Service kube-dns leads to the cache.
const UpstreamService = "kube-dns-upstream"

// Name of the DaemonSet and its related objects.
const Name = "node-local-dns"

const (
	public       = "registry.k8s.io/dns/k8s-dns-node-cache:1.26.7"
	portDNS      = 53
	portCoreDNS  = 8053
	portMetrics  = 9253
	portErrors   = 9353
	portHealth   = 8099
	labelApp     = "k8s-app"
	corefileBase = "Corefile.base"
)

// Values are the inputs for the objects.
type Values struct {
	// ClusterDNS is the address of the Service kube-dns.
	ClusterDNS string
	// IPVS means that kube-proxy is in this mode.
	IPVS bool
	// ForceTCPToClusterDNS and ForceTCPToUpstreamDNS select TCP for queries of the cache, whatever protocol its clients
	// use.
	ForceTCPToClusterDNS, ForceTCPToUpstreamDNS bool
	// DisableForwardToUpstreamDNS sends queries for names outside of the cluster to CoreDNS, too.
	DisableForwardToUpstreamDNS bool
	// Image; the default is the public one.
	Image string
}

// Objects builds all of it.
func Objects(v Values) []client.Object {
	meta := metav1.ObjectMeta{Name: Name, Namespace: metav1.NamespaceSystem}
	config := pod.ConfigMap(Name, metav1.NamespaceSystem, map[string]string{"Corefile": v.corefile()})
	config.Labels = labels.Merge(config.Labels, selector())
	return []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta},
		config,
		upstream(),
		metricsService(),
		v.daemonSet(config.Name, cmp.Or(v.Image, public)),
	}
}

func selector() map[string]string { return map[string]string{labelApp: Name} }

func upstream() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: UpstreamService, Namespace: metav1.NamespaceSystem, Labels: map[string]string{labelApp: UpstreamService}},
		Spec: corev1.ServiceSpec{
			Selector: map[string]string{labelApp: "kube-dns"},
			Ports: []corev1.ServicePort{
				{Name: "dns", Port: portDNS, Protocol: corev1.ProtocolUDP, TargetPort: intstr.FromInt32(portCoreDNS)},
				{Name: "dns-tcp", Port: portDNS, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(portCoreDNS)},
			},
		},
	}
}

// metricsService only provides a name for the metrics ports.
func metricsService() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: Name, Namespace: metav1.NamespaceSystem, Labels: selector()},
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, Selector: selector(),
			Ports: []corev1.ServicePort{
				{Name: "metrics", Port: portMetrics, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(portMetrics)},
				{Name: "errormetrics", Port: portErrors, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(portErrors)},
			},
		},
	}
}
