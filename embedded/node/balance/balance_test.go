package balance

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func endpoints(port uint16) []netip.AddrPort {
	var all []netip.AddrPort
	for i := range byte(4) {
		all = append(all, netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 128, 0, i + 2}), port))
	}
	return all
}

// first is the endpoint that a client gets.
func first(service *corev1.Service, client netip.Addr, all []netip.AddrPort) netip.Addr {
	Order(service, client, all)
	return all[0].Addr()
}

func TestOrder(t *testing.T) {
	sticky := &corev1.Service{ObjectMeta: metav1.ObjectMeta{UID: "1"}, Spec: corev1.ServiceSpec{SessionAffinity: corev1.ServiceAffinityClientIP}}
	clients := make([]netip.Addr, 200)
	for i := range clients {
		clients[i] = netip.MustParseAddr(fmt.Sprintf("127.128.1.%d", i))
	}
	t.Run("APP-13 with affinity a client keeps its pod, at all ports and whatever the order was", func(t *testing.T) {
		for _, client := range clients {
			backwards := endpoints(80)
			slices.Reverse(backwards)
			want := first(sticky, client, endpoints(80))
			if got := first(sticky, client, backwards); got != want {
				t.Fatalf("%s gets %s and %s", client, want, got)
			}
			if got := first(sticky, netip.AddrFrom16(client.As16()), endpoints(443)); got != want {
				t.Fatalf("%s gets %s at another port, %s before", client, got, want)
			}
		}
	})
	t.Run("APP-13 with affinity clients are spread, and keep their pod when another one ends", func(t *testing.T) {
		share := map[netip.Addr]int{}
		gone := endpoints(80)[3].Addr()
		for _, client := range clients {
			was := first(sticky, client, endpoints(80))
			share[was]++
			if now := first(sticky, client, endpoints(80)[:3]); was != gone && now != was {
				t.Errorf("%s had %s and has %s", client, was, now)
			}
		}
		for _, endpoint := range endpoints(80) {
			if share[endpoint.Addr()] < len(clients)/10 {
				t.Errorf("shares are %v", share)
			}
		}
	})
	t.Run("without affinity all pods get a client's connections", func(t *testing.T) {
		seen := map[netip.Addr]bool{}
		for range 1000 {
			seen[first(&corev1.Service{}, clients[0], endpoints(80))] = true
		}
		if len(seen) != 4 {
			t.Errorf("seen %v", seen)
		}
	})
}
