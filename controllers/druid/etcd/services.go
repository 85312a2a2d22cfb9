package etcd

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// clientService is the Service that clients dial. It leads to any ready member.
func clientService(etcd *druidv1alpha1.Etcd) *corev1.Service {
	service := &corev1.Service{
		ObjectMeta: meta(etcd, clientServiceName(etcd)),
		Spec: corev1.ServiceSpec{
			Type:            corev1.ServiceTypeClusterIP,
			Selector:        selectorLabels(etcd),
			SessionAffinity: corev1.ServiceAffinityNone,
			Ports:           []corev1.ServicePort{port("client", clientPort(etcd)), port("backuprestore", backupPort(etcd))},
		},
	}
	if extra := etcd.Spec.Etcd.ClientService; extra != nil {
		maps.Copy(service.Labels, extra.Labels)
		service.Annotations = extra.Annotations
		service.Spec.TrafficDistribution = extra.TrafficDistribution
	}
	return service
}

// peerService gives each member a name, even before the member is ready, because members need the names to become
// ready.
func peerService(etcd *druidv1alpha1.Etcd) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: meta(etcd, peerServiceName(etcd)),
		Spec: corev1.ServiceSpec{
			Type:                     corev1.ServiceTypeClusterIP,
			ClusterIP:                corev1.ClusterIPNone,
			Selector:                 selectorLabels(etcd),
			PublishNotReadyAddresses: true,
			Ports:                    []corev1.ServicePort{port("peer", peerPort(etcd))},
		},
	}
}

func port(name string, number int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Protocol: corev1.ProtocolTCP, Port: number, TargetPort: intstr.FromInt32(number)}
}
