package kubeapi

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/discovery"
	"k8s.io/utils/ptr"
)

func TestPublish(t *testing.T) {
	ports := []corev1.EndpointPort{{Name: "https", Port: 6443, Protocol: corev1.ProtocolTCP}}

	t.Run("SNI-8 what others put into Endpoints is replaced but for labels", func(t *testing.T) {
		got := &core.Endpoints{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"kept": "yes"}},
			Subsets:    []core.EndpointSubset{{Addresses: []core.EndpointAddress{{IP: "192.0.2.1"}}}, {}},
		}
		publishEndpoints(got, net.ParseIP("127.96.0.7"), ports)
		want := &core.Endpoints{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"kept": "yes", "endpointslice.kubernetes.io/skip-mirror": "true"}},
			Subsets: []core.EndpointSubset{{
				Addresses: []core.EndpointAddress{{IP: "127.96.0.7"}},
				Ports:     []core.EndpointPort{{Name: "https", Port: 6443, Protocol: core.ProtocolTCP}},
			}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Endpoints (-want +got):\n%s", diff)
		}
	})
	for _, address := range []struct {
		ip     string
		family discovery.AddressType
	}{{"127.96.0.7", discovery.AddressTypeIPv4}, {"::1", discovery.AddressTypeIPv6}} {
		t.Run("SNI-8 the EndpointSlice of "+address.ip, func(t *testing.T) {
			got := &discovery.EndpointSlice{Endpoints: []discovery.Endpoint{{Addresses: []string{"192.0.2.1"}}}}
			publishSlice(got, net.ParseIP(address.ip), ports)
			want := &discovery.EndpointSlice{
				ObjectMeta:  metav1.ObjectMeta{Labels: map[string]string{"kubernetes.io/service-name": "kubernetes"}},
				AddressType: address.family,
				Endpoints:   []discovery.Endpoint{{Addresses: []string{address.ip}, Conditions: discovery.EndpointConditions{Ready: ptr.To(true)}}},
				Ports:       []discovery.EndpointPort{{Name: ptr.To("https"), Port: ptr.To[int32](6443), Protocol: ptr.To(core.ProtocolTCP)}},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("EndpointSlice (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPublisherEnds(t *testing.T) {
	var destroyed atomic.Int32
	s := stored{key: "/endpoints", destroy: func() { destroyed.Add(1) }}
	p := &publisher{endpoints: s, slices: s}
	if err := p.RemoveEndpoints("kubernetes", nil, nil); !storage.IsNotFound(err) {
		t.Errorf("at its start a server gets %v, want the error that there is nothing to remove", err)
	}
	p.StopReconciling()
	if err := p.ReconcileEndpoints("kubernetes", net.ParseIP("127.96.0.7"), nil, true); err != nil {
		t.Errorf("a round after the end: %v", err)
	}
	if err := p.RemoveEndpoints("kubernetes", nil, nil); err != nil {
		t.Errorf("at its end: %v", err)
	}
	if p.Destroy(); destroyed.Load() != 2 {
		t.Errorf("%d ways to the storage are closed, want 2", destroyed.Load())
	}
}
