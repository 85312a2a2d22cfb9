package podnet

import (
	"context"
	"net"
	"net/netip"

	"github.com/go-logr/logr"
)

// Protocol is TCP or UDP, as functions of package net name them.
type Protocol string

// The protocols that a pod can use.
const (
	TCP Protocol = "tcp"
	UDP Protocol = "udp"
)

// Dial connects to the destination that a Decide function has allowed.
type Dial func(ctx context.Context) (net.Conn, error)

// Decide says how a pod reaches a destination. It returns an error with the reason if the pod must not reach it. It is called for each
// connection, concurrently, and must not connect itself.
type Decide func(ctx context.Context, protocol Protocol, destination netip.AddrPort) (Dial, error)

// Config describes the network of a pod.
type Config struct {
	// Address is the pod's, of IPv4.
	Address netip.Addr
	// Node is the address that programs in the pod see as the origin of connections from the machine. It is in one of the ranges of
	// Landscape. So it is not 127.0.0.1, which programs trust.
	Node netip.Addr
	// Landscape are the ranges below 127.0.0.0/8 of pods, Services, and all else that Decide knows. The other addresses below
	// 127.0.0.0/8 are the pod's own. No range contains 127.0.0.1.
	Landscape []netip.Prefix
	// Decide is asked before anything leaves the pod.
	Decide Decide
	// Log gets refusals at level 1, and ports that cannot be opened.
	Log logr.Logger
}
