package serviceports

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// service has an age in minutes.
func service(name string, age int, kind corev1.ServiceType, ports ...corev1.ServicePort) *corev1.Service {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(begin.Add(-time.Duration(age) * time.Minute))},
		Spec:       corev1.ServiceSpec{Type: kind, Ports: ports},
	}
}

func tcp(number, node int32) corev1.ServicePort {
	return corev1.ServicePort{Protocol: corev1.ProtocolTCP, Port: number, NodePort: node}
}

func with(s *corev1.Service, change func(*corev1.ServiceSpec)) *corev1.Service {
	change(&s.Spec)
	return s
}

func TestClaims(t *testing.T) {
	const balancer, node = corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort
	for name, tc := range map[string]struct {
		services []*corev1.Service
		want     map[string]string // Service by port
		told     []string          // reason and Service
	}{
		"APP-13 a Service with a cluster IP only has no port at nodes": {
			services: []*corev1.Service{service("a", 1, corev1.ServiceTypeClusterIP, tcp(80, 30080))},
		},
		"APP-13 a node port": {
			services: []*corev1.Service{service("a", 1, node, tcp(80, 30080))},
			want:     map[string]string{"TCP port 30080": "a"},
		},
		"APP-13 a load balancer has its port and the node port": {
			services: []*corev1.Service{service("a", 1, balancer, tcp(80, 30080))},
			want:     map[string]string{"TCP port 30080": "a", "TCP port 80": "a"},
		},
		"APP-13 a load balancer without node ports": {
			services: []*corev1.Service{service("a", 1, balancer, tcp(80, 0))},
			want:     map[string]string{"TCP port 80": "a"},
		},
		"APP-13 a load balancer of another class has the node port only": {
			services: []*corev1.Service{with(service("a", 1, balancer, tcp(80, 30080)), func(s *corev1.ServiceSpec) { s.LoadBalancerClass = ptr.To("other") })},
			want:     map[string]string{"TCP port 30080": "a"},
		},
		"APP-13 the oldest load balancer has the port, and the other one is told": {
			services: []*corev1.Service{service("young", 1, balancer, tcp(80, 0)), service("old", 9, balancer, tcp(80, 0))},
			want:     map[string]string{"TCP port 80": "old"},
			told:     []string{"PortTaken young"},
		},
		"APP-14 a load balancer takes no node port from a younger Service": {
			services: []*corev1.Service{service("old", 9, balancer, tcp(30080, 0)), service("young", 1, node, tcp(80, 30080))},
			want:     map[string]string{"TCP port 30080": "young"},
			told:     []string{"PortTaken old"},
		},
		"APP-13 the same number by TCP and UDP": {
			services: []*corev1.Service{
				service("a", 2, balancer, tcp(53, 0)), service("b", 1, balancer, corev1.ServicePort{Protocol: corev1.ProtocolUDP, Port: 53}),
			},
			want: map[string]string{"TCP port 53": "a", "UDP port 53": "b"},
		},
		"APP-14 nobody takes the port of the kubelet": {
			services: []*corev1.Service{service("a", 1, balancer, tcp(10250, 0))},
			told:     []string{"PortReserved a"},
		},
		"APP-13 SCTP is told": {
			services: []*corev1.Service{service("a", 1, balancer, corev1.ServicePort{Protocol: corev1.ProtocolSCTP, Port: 80})},
			told:     []string{"PortUnsupported a"},
		},
		"APP-14 nobody takes an address by externalIPs, and that is told": {
			services: []*corev1.Service{with(service("a", 1, corev1.ServiceTypeClusterIP, tcp(80, 0)), func(s *corev1.ServiceSpec) { s.ExternalIPs = []string{"127.77.0.1"} })},
			told:     []string{"PortUnsupported a"},
		},
		"APP-13 health checks of load balancers are told": {
			services: []*corev1.Service{with(service("a", 1, balancer, tcp(80, 0)), func(s *corev1.ServiceSpec) { s.HealthCheckNodePort = 32000 })},
			want:     map[string]string{"TCP port 80": "a"},
			told:     []string{"PortUnsupported a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, problems := claims(tc.services)
			var byPort map[string]string
			for p, c := range got {
				if byPort == nil {
					byPort = map[string]string{}
				}
				byPort[p.String()] = c.service.Name
			}
			var told []string
			for _, p := range problems {
				told = append(told, fmt.Sprint(p.reason, " ", p.service.Name))
			}
			if diff := cmp.Diff(tc.want, byPort); diff != "" {
				t.Errorf("ports (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.told, told); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	t.Run("APP-14 the ports of a node have a limit, and the youngest Services are told", func(t *testing.T) {
		var services []*corev1.Service
		for i := range maxPorts + 2 {
			services = append(services, service(fmt.Sprint("s", i), 10000-i, corev1.ServiceTypeLoadBalancer, tcp(int32(20000+i), 0)))
		}
		got, problems := claims(services)
		if len(got) != maxPorts || len(problems) != 2 || problems[1].service.Name != services[maxPorts+1].Name {
			t.Errorf("%d ports, problems %v", len(got), problems)
		}
	})
}
