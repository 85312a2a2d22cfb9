package serviceports

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/embedded/internal/portserver"
	"github.com/gardener-up/gardener-up/embedded/node/balance"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
)

// endpointTimeout limits how long one of several endpoints may take to answer.
const endpointTimeout = 3 * time.Second

// opened is a port that is open.
type opened struct {
	config   Config
	services Services
	protocol corev1.Protocol
	claim    atomic.Pointer[claim]
	listener *portserver.Listener
}

// dial connects a client to a pod behind the Service.
func (o *opened) dial(ctx context.Context, client netip.AddrPort) (net.Conn, error) {
	c := *o.claim.Load()
	from := client.Addr().Unmap()
	if !c.admits(from) {
		return nil, fmt.Errorf("%s is in none of the source ranges of the load balancer", from)
	}
	failures := []error{errors.New("no pod answers")}
	for _, endpoint := range o.endpoints(c, from) {
		pod, ok := o.config.Pod(endpoint.Addr()) // users may have written any address
		if !ok {
			continue
		}
		attempt, cancel := context.WithTimeout(ctx, endpointTimeout)
		conn, err := pod.Dial(attempt, podnet.Protocol(strings.ToLower(string(o.protocol))), endpoint.Port(), from)
		cancel()
		if err == nil {
			return conn, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// endpoints are those that a client tries, in order.
func (o *opened) endpoints(c claim, client netip.Addr) []netip.AddrPort {
	var all []netip.AddrPort
	for _, text := range o.services.Endpoints(c.service, c.port) {
		if endpoint, err := netip.ParseAddrPort(text); err == nil {
			all = append(all, endpoint)
		}
	}
	if c.service.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal {
		all = slices.DeleteFunc(all, func(endpoint netip.AddrPort) bool { return !o.config.Local(endpoint.Addr()) })
	}
	balance.Order(c.service, client, all)
	return all
}

// admits reports whether a client may use the port. Only load balancers have source ranges. A range that cannot be read admits nobody.
func (c claim) admits(client netip.Addr) bool {
	ranges := c.service.Spec.LoadBalancerSourceRanges
	if !c.balanced || len(ranges) == 0 {
		return true
	}
	return slices.ContainsFunc(ranges, func(text string) bool {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		return err == nil && prefix.Contains(client)
	})
}
