package kubeapiserver

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	istiov1beta1 "github.com/gardener-up/gardener-up/embedded/apis/istio/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Service builds the Service in the seed. The port above 1024 is for Gardener's own clients: if ordinary users cannot
// bind port 443, only that port is served.
func Service(namespace string) *corev1.Service { return NamedService(names.APIServer, namespace) }

// NamedService builds the Service with another name, for an API server that shares its namespace.
func NamedService(name, namespace string) *corev1.Service {
	target, labels := intstr.FromInt32(names.APIServerPort), Labels()
	maps.Copy(labels, names.Mutated())
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: labels, Annotations: names.APIServerReach()},
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeClusterIP,
			Selector: Labels(),
			Ports: []corev1.ServicePort{
				{Name: "kube-apiserver", Port: 443, TargetPort: target, Protocol: corev1.ProtocolTCP},
				{Name: "high", Port: names.APIServerPort, TargetPort: target, Protocol: corev1.ProtocolTCP},
			},
		},
	}
}

// Machines builds the Service whose name has the addresses of the shoot's machines, if they are pods of the seed. They have
// addresses before they are ready, because logs are wanted then, too.
func Machines(namespace string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: names.Machines, Namespace: namespace},
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, PublishNotReadyAddresses: true, Selector: contract.MachinePodLabels(),
			Ports: []corev1.ServicePort{{Name: "kubelet", Port: names.KubeletPort, TargetPort: intstr.FromInt32(names.KubeletPort), Protocol: corev1.ProtocolTCP}},
		},
	}
}

// Route builds the Gateway and the VirtualService by which the front door finds the API server from the requested host
// name. TLS ends at kube-apiserver. door are the labels of the front door.
func Route(namespace string, hosts []string, door map[string]string) (*istiov1beta1.Gateway, *istiov1beta1.VirtualService) {
	meta := metav1.ObjectMeta{Name: names.APIServer, Namespace: namespace, Labels: Labels()}
	gateway := &istiov1beta1.Gateway{
		ObjectMeta: meta,
		Spec: istiov1beta1.GatewaySpec{
			Selector: door,
			Servers: []istiov1beta1.Server{{
				Port:  istiov1beta1.Port{Number: 443, Protocol: "TLS", Name: "tls"},
				Hosts: hosts,
				TLS:   &istiov1beta1.ServerTLSSettings{Mode: istiov1beta1.TLSModePassthrough},
			}},
		},
	}
	route := &istiov1beta1.VirtualService{
		ObjectMeta: meta,
		Spec: istiov1beta1.VirtualServiceSpec{
			Hosts:    hosts,
			Gateways: []string{names.APIServer},
			ExportTo: []string{"*"},
			TLS: []istiov1beta1.TLSRoute{{
				Match: []istiov1beta1.TLSMatchAttributes{{SniHosts: hosts, Port: 443}},
				Route: []istiov1beta1.RouteDestination{{Destination: istiov1beta1.Destination{
					Host: names.APIServer + "." + namespace + ".svc." + names.ClusterDomain,
					Port: &istiov1beta1.PortSelector{Number: 443},
				}}},
			}},
		},
	}
	return gateway, route
}
