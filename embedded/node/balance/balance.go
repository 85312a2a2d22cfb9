// Package balance chooses among the endpoints of a Service.
package balance

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Order sorts the endpoints of a Service in place, in the order in which a client tries them. It is random, unless the Service has the
// session affinity ClientIP. Then all nodes send a client to the same endpoint, also after a restart, for as long as that endpoint is ready.
// The timeout of the affinity has no effect. A new endpoint takes over its share of the clients.
func Order(service *corev1.Service, client netip.Addr, endpoints []netip.AddrPort) {
	if service.Spec.SessionAffinity != corev1.ServiceAffinityClientIP {
		rand.Shuffle(len(endpoints), func(i, j int) { endpoints[i], endpoints[j] = endpoints[j], endpoints[i] })
		return
	}
	slices.SortFunc(endpoints, func(a, b netip.AddrPort) int {
		return cmp.Or(cmp.Compare(weight(service, client, a), weight(service, client, b)), a.Compare(b))
	})
}

// weight is a number that says how near an endpoint is to a client: the endpoint with the smallest number is the client's. The port does
// not count, so that a client has one pod at all ports of the Service.
func weight(service *corev1.Service, client netip.Addr, endpoint netip.AddrPort) uint64 {
	hash := fnv.New64a()
	for _, part := range []string{string(service.UID), client.Unmap().String(), endpoint.Addr().String()} {
		_, _ = hash.Write([]byte(part)) // never fails
		_, _ = hash.Write([]byte{0})
	}
	return mixed(hash.Sum64())
}

// mixed spreads the last bytes of what was hashed over all bits (the finalizer of MurmurHash3).
func mixed(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
