package frontdoor

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
)

// proxySignature starts a header of the PROXY protocol, version 2.
var proxySignature = []byte("\r\n\r\n\x00\r\nQUIT\n")

const (
	// proxyHeadSize is the fixed part of a header: signature, version and command, family, length.
	proxyHeadSize = 16
	// maxProxyHead bounds addresses and additions.
	maxProxyHead = 1024
)

// AddressSource maps addresses to Services.
type AddressSource interface {
	// Run keeps the addresses up to date until ctx ends.
	Run(ctx context.Context) error
	// Service returns the destination of connections to the address, and the namespace of the Service. It is called
	// from many goroutines.
	Service(address netip.Addr) (destination Destination, namespace string, known bool)
}

// handleProxied serves a connection that begins with the PROXY protocol. It forwards the connection to the original
// destination in the header, if that is the address of an API server (SNI-10). It drops all other connections.
func (s *Server) handleProxied(ctx context.Context, conn *net.TCPConn) {
	_ = conn.SetReadDeadline(time.Now().Add(helloTimeout))
	meant, err := readProxyHeader(conn)
	if err != nil {
		s.config.Log.V(1).Info("Dropped a connection without a PROXY header", "client", conn.RemoteAddr().String(), "error", err.Error())
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	destination, namespace, ok := s.config.Services.Service(meant.Addr())
	if !ok || meant.Port() != defaultPort || !s.serves(namespace) {
		s.config.Log.V(1).Info("Dropped a connection for an unknown address", "client", conn.RemoteAddr().String(), "address", meant.String())
		return
	}
	backend, err := s.dial(ctx, destination)
	if err != nil {
		s.config.Log.V(1).Info("Destination cannot be reached", "destination", destination.Host, "error", err.Error())
		return
	}
	relay.Join(conn, backend)
}

// readProxyHeader returns the original destination of a connection.
func readProxyHeader(r io.Reader) (netip.AddrPort, error) {
	head := make([]byte, proxyHeadSize)
	if _, err := io.ReadFull(r, head); err != nil {
		return netip.AddrPort{}, fmt.Errorf("read PROXY header: %w", err)
	}
	if !bytes.Equal(head[:12], proxySignature) || head[12]>>4 != 2 {
		return netip.AddrPort{}, errors.New("the connection does not begin with a PROXY header of version 2")
	}
	length := int(binary.BigEndian.Uint16(head[14:]))
	if length > maxProxyHead {
		return netip.AddrPort{}, fmt.Errorf("a PROXY header of %d bytes is too long", length)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return netip.AddrPort{}, fmt.Errorf("read PROXY header: %w", err)
	}
	const proxied, tcp4, tcp6 = 1, 0x11, 0x21
	size := map[byte]int{tcp4: 4, tcp6: 16}[head[13]]
	if head[12]&0xf != proxied || size == 0 || length < 2*size+4 {
		return netip.AddrPort{}, errors.New("the PROXY header has no TCP addresses")
	}
	address, _ := netip.AddrFromSlice(body[size : 2*size])
	return netip.AddrPortFrom(address.Unmap(), binary.BigEndian.Uint16(body[2*size+2:])), nil
}

// ProxyHeader is the header for a connection from a client to a destination.
func ProxyHeader(client, meant netip.AddrPort) []byte {
	const versionAndCommand, tcp4, tcp6 = 0x21, 0x11, 0x21
	from, to, family := client.Addr().Unmap(), meant.Addr().Unmap(), byte(tcp4)
	if !from.Is4() || !to.Is4() {
		family = tcp6
		from, to = netip.AddrFrom16(from.As16()), netip.AddrFrom16(to.As16())
	}
	body := append(from.AsSlice(), to.AsSlice()...)
	body = binary.BigEndian.AppendUint16(body, client.Port())
	body = binary.BigEndian.AppendUint16(body, meant.Port())
	header := append(bytes.Clone(proxySignature), versionAndCommand, family)
	header = binary.BigEndian.AppendUint16(header, uint16(len(body)))
	return append(header, body...)
}
