package kernel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// OriginalTCP returns where the client of a redirected connection wanted to connect to. For a connection that was not redirected it
// is the address of the connection itself.
func OriginalTCP(conn *net.TCPConn) (netip.AddrPort, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return netip.AddrPort{}, err
	}
	var address *unix.IPv6Mreq // has room for the structure sockaddr_in that the kernel writes
	var failed error
	if err := raw.Control(func(fd uintptr) {
		address, failed = unix.GetsockoptIPv6Mreq(int(fd), unix.SOL_IP, unix.SO_ORIGINAL_DST)
	}); err != nil {
		return netip.AddrPort{}, err
	}
	if failed != nil {
		return netip.AddrPort{}, fmt.Errorf("read the original destination: %w", failed)
	}
	written := address.Multiaddr
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(written[4:8])), binary.BigEndian.Uint16(written[2:])), nil
}

// Tracking knows the connections of the network namespace where its netlink socket was made. Its methods may be called concurrently.
type Tracking struct{ *conn }

// NewTracking takes over a socket of type NETLINK_NETFILTER that does not block.
func NewTracking(file *os.File) Tracking { return Tracking{newConn(file)} }

// Numbers of the subsystem ctnetlink.
const (
	get           = unix.NFNL_SUBSYS_CTNETLINK<<8 | 1 // IPCTNL_MSG_CT_GET
	tupleOriginal = 1
	tupleReply    = 2
	tupleAddress  = 1
	tupleProtocol = 2
	source4       = 1
	destination4  = 2
	protocol      = 1
	sourcePort    = 2
	targetPort    = 3
)

// OriginalUDP returns where a client wanted to send packets to that were redirected to the receiver.
func (t Tracking) OriginalUDP(client, receiver netip.AddrPort) (netip.AddrPort, error) {
	encoder := netlink.NewAttributeEncoder()
	encoder.Nested(tupleReply, func(tuple *netlink.AttributeEncoder) error {
		tuple.Nested(tupleAddress, func(e *netlink.AttributeEncoder) error {
			e.Bytes(source4, receiver.Addr().AsSlice())
			e.Bytes(destination4, client.Addr().AsSlice())
			return nil
		})
		tuple.Nested(tupleProtocol, func(e *netlink.AttributeEncoder) error {
			e.Uint8(protocol, unix.IPPROTO_UDP)
			e.Bytes(sourcePort, binary.BigEndian.AppendUint16(nil, receiver.Port()))
			e.Bytes(targetPort, binary.BigEndian.AppendUint16(nil, client.Port()))
			return nil
		})
		return nil
	})
	attributes, err := encoder.Encode()
	if err != nil {
		return netip.AddrPort{}, err
	}
	var original netip.AddrPort
	header := []byte{unix.AF_INET, unix.NFNETLINK_V0, 0, 0}
	err = t.ask(get, 0, append(header, attributes...), func(answer []byte) {
		if len(answer) > len(header) {
			original, err = originalDestination(answer[len(header):])
		}
	})
	if err == nil && !original.IsValid() {
		err = errors.New("the kernel does not know the destination")
	}
	return original, err
}

func originalDestination(attributes []byte) (netip.AddrPort, error) {
	var address netip.Addr
	var port uint16
	decoder, err := netlink.NewAttributeDecoder(attributes)
	if err != nil {
		return netip.AddrPort{}, err
	}
	for decoder.Next() {
		if decoder.Type() != tupleOriginal {
			continue
		}
		decoder.Nested(func(tuple *netlink.AttributeDecoder) error {
			for tuple.Next() {
				part := tuple.Type()
				if part != tupleAddress && part != tupleProtocol {
					continue
				}
				tuple.Nested(func(d *netlink.AttributeDecoder) error {
					for d.Next() {
						switch {
						case part == tupleAddress && d.Type() == destination4:
							address, _ = netip.AddrFromSlice(d.Bytes())
						case part == tupleProtocol && d.Type() == targetPort && len(d.Bytes()) == 2:
							port = binary.BigEndian.Uint16(d.Bytes())
						}
					}
					return nil
				})
			}
			return nil
		})
	}
	return netip.AddrPortFrom(address, port), decoder.Err()
}
