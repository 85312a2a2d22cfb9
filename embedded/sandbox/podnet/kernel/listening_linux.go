package kernel

import (
	"encoding/binary"
	"net/netip"
	"os"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Bound is a socket that waits for connections or packets of anybody.
type Bound struct {
	// TCP is false for UDP.
	TCP bool
	// Address is unspecified if the socket accepts what is sent to any address.
	Address netip.AddrPort
}

// Diagnosis lists the sockets of the network namespace where its netlink socket was made. Its methods may be called concurrently.
type Diagnosis struct{ *conn }

// NewDiagnosis takes over a socket of type NETLINK_SOCK_DIAG that does not block.
func NewDiagnosis(file *os.File) Diagnosis { return Diagnosis{newConn(file)} }

// States of sockets, as bits.
const (
	listening   = 1 << 10 // TCP_LISTEN
	unconnected = 1 << 7  // TCP_CLOSE: a UDP socket that is bound and not connected
)

// Sizes of the messages inet_diag_req_v2 and inet_diag_msg.
const (
	questionSize = 56
	answerSize   = 72
)

// attributeOnly6 is INET_DIAG_SKV6ONLY: the socket accepts IPv6 only.
const attributeOnly6 = 11

// Bound returns the sockets that accept IPv4 from anybody.
func (d Diagnosis) Bound() ([]Bound, error) {
	var found []Bound
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		for _, tcp := range []bool{true, false} {
			question := make([]byte, questionSize)
			question[0], question[1] = family, unix.IPPROTO_UDP
			states := uint32(unconnected)
			if tcp {
				question[1], states = unix.IPPROTO_TCP, listening
			}
			binary.NativeEndian.PutUint32(question[4:], states)
			err := d.ask(unix.SOCK_DIAG_BY_FAMILY, unix.NLM_F_DUMP, question, func(answer []byte) {
				if address, ok := boundTo(answer); ok {
					found = append(found, Bound{TCP: tcp, Address: address})
				}
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

func boundTo(answer []byte) (netip.AddrPort, bool) {
	if len(answer) < answerSize {
		return netip.AddrPort{}, false
	}
	port := binary.BigEndian.Uint16(answer[4:])
	if answer[0] == unix.AF_INET {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(answer[8:12])), port), port != 0
	}
	address := netip.AddrFrom16([16]byte(answer[8:24]))
	if address.Is4In6() {
		return netip.AddrPortFrom(address.Unmap(), port), port != 0
	}
	if !address.IsUnspecified() || only6(answer[answerSize:]) {
		return netip.AddrPort{}, false
	}
	return netip.AddrPortFrom(netip.IPv4Unspecified(), port), port != 0
}

func only6(attributes []byte) bool {
	decoder, err := netlink.NewAttributeDecoder(attributes)
	if err != nil {
		return true
	}
	for decoder.Next() {
		if decoder.Type() == attributeOnly6 {
			return decoder.Uint8() != 0
		}
	}
	return false
}
