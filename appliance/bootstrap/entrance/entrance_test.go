package entrance

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/local/doctor"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func aService(serviceType corev1.ServiceType, addresses ...corev1.LoadBalancerIngress) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "virtual-garden-istio-ingress", Name: "istio-ingressgateway", CreationTimestamp: metav1.NewTime(start)},
		Spec:       corev1.ServiceSpec{Type: serviceType, ClusterIP: "10.96.0.9", ClusterIPs: []string{"10.96.0.9"}},
		Status:     corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: addresses}},
	}
}

var aNode = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}, Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{
	{Type: corev1.NodeInternalIP, Address: "192.0.2.7"}, {Type: corev1.NodeHostName, Address: "node"},
}}}

func TestLook(t *testing.T) {
	balanced := aService(corev1.ServiceTypeLoadBalancer, corev1.LoadBalancerIngress{IP: "192.0.2.1"})
	named := aService(corev1.ServiceTypeLoadBalancer, corev1.LoadBalancerIngress{Hostname: "lb.example.org"})
	for name, tc := range map[string]struct {
		service *corev1.Service
		age     time.Duration
		records map[string]string
		fails   error
		check   string
		state   doctor.State
		want    string
		cure    string
	}{
		"a garden that is not there yet has no record": {check: checkRecord, state: doctor.Warning, want: "api.garden.example.org has no address", cure: "leads to the Service"},
		"a record may be there before the garden":      {records: map[string]string{"api.garden.example.org": "192.0.2.1"}, check: checkRecord, state: doctor.OK, want: "192.0.2.1"},
		"a record leads to the load balancer":          {service: balanced, records: map[string]string{"api.garden.example.org": "192.0.2.1"}, check: checkRecord, state: doctor.OK, want: "192.0.2.1"},
		"a record leads elsewhere":                     {service: balanced, records: map[string]string{"api.garden.example.org": "192.0.2.9"}, check: checkRecord, state: doctor.Warning, want: "is 192.0.2.9, and the API server is at 192.0.2.1", cure: "leads to 192.0.2.1"},
		"a record leads to a load balancer that has a name": {
			service: named, records: map[string]string{"api.garden.example.org": "192.0.2.1", "lb.example.org": "192.0.2.1"}, check: checkRecord, state: doctor.OK, want: "192.0.2.1",
		},
		"a record is missing":                        {service: named, check: checkRecord, state: doctor.Warning, want: "has no address", cure: "leads to lb.example.org"},
		"a record leads to a node":                   {service: aService(corev1.ServiceTypeNodePort), records: map[string]string{"api.garden.example.org": "192.0.2.7"}, check: checkRecord, state: doctor.OK, want: "192.0.2.7"},
		"a record leads to no node":                  {service: aService(corev1.ServiceTypeNodePort), records: map[string]string{"api.garden.example.org": "192.0.2.8"}, check: checkRecord, state: doctor.Warning, want: "at 192.0.2.7"},
		"a record leads to the range of the cluster": {service: aService(corev1.ServiceTypeClusterIP), records: map[string]string{"api.garden.example.org": "10.96.0.9"}, check: checkRecord, state: doctor.OK, want: "10.96.0.9"},
		"name servers that do not answer":            {fails: errors.New("timeout"), check: checkRecord, state: doctor.Warning, want: "do not say", cure: "name servers"},
		"a load balancer with an address":            {service: balanced, check: checkBalancer, state: doctor.OK, want: "192.0.2.1"},
		"a load balancer with a name":                {service: named, check: checkBalancer, state: doctor.OK, want: "lb.example.org"},
		"a load balancer that takes its time":        {service: aService(corev1.ServiceTypeLoadBalancer), age: time.Minute, check: checkBalancer, state: doctor.OK, want: "no address yet, after 1m0s"},
		"a load balancer that nobody makes":          {service: aService(corev1.ServiceTypeLoadBalancer), age: time.Hour, check: checkBalancer, state: doctor.Warning, want: "no address for 1h0m0s", cure: "--service-type NodePort"},
	} {
		t.Run("APP-25 "+name, func(t *testing.T) {
			objects := []client.Object{aNode.DeepCopy()}
			if tc.service != nil {
				objects = append(objects, tc.service.DeepCopy())
			}
			findings := Look(t.Context(), Inputs{
				Client: fake.NewClientBuilder().WithObjects(objects...).Build(), Domain: "garden.example.org", Now: func() time.Time { return start.Add(tc.age) },
				Lookup: func(_ context.Context, host string) ([]string, error) {
					if found, is := tc.records[host]; is || tc.fails != nil {
						return []string{found}, tc.fails
					}
					return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
				},
			})
			for _, found := range findings {
				if found.Check != tc.check {
					continue
				}
				if found.State != tc.state || !strings.Contains(found.Message, tc.want) || !strings.Contains(found.Cure, tc.cure) || (found.State == doctor.OK) != (found.Cure == "") {
					t.Errorf("finding %+v, want %s with %q and %q", found, tc.state, tc.want, tc.cure)
				}
				return
			}
			t.Errorf("no %s among %+v", tc.check, findings)
		})
	}
}
