// Package proxyprotocol writes and reads headers of the PROXY protocol, version 2. A header precedes a connection and tells a relay where
// the connection comes from and where it is meant to go.
package proxyprotocol

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
)

// signature starts a header of the PROXY protocol, version 2.
var signature = []byte("\r\n\r\n\x00\r\nQUIT\n")

const (
	// headSize is the fixed part of a header: signature, version and command, family, length.
	headSize = 16
	// maxBody bounds addresses and additions.
	maxBody = 1024
)

// Read reads the header of a connection and returns the original destination.
func Read(r io.Reader) (netip.AddrPort, error) {
	head := make([]byte, headSize)
	if _, err := io.ReadFull(r, head); err != nil {
		return netip.AddrPort{}, fmt.Errorf("read PROXY header: %w", err)
	}
	if !bytes.Equal(head[:12], signature) || head[12]>>4 != 2 {
		return netip.AddrPort{}, errors.New("the connection does not begin with a PROXY header of version 2")
	}
	length := int(binary.BigEndian.Uint16(head[14:]))
	if length > maxBody {
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

// Header is the header for a connection from a client to a destination.
func Header(client, meant netip.AddrPort) []byte {
	const versionAndCommand, tcp4, tcp6 = 0x21, 0x11, 0x21
	from, to, family := client.Addr().Unmap(), meant.Addr().Unmap(), byte(tcp4)
	if !from.Is4() || !to.Is4() {
		family = tcp6
		from, to = netip.AddrFrom16(from.As16()), netip.AddrFrom16(to.As16())
	}
	body := append(from.AsSlice(), to.AsSlice()...)
	body = binary.BigEndian.AppendUint16(body, client.Port())
	body = binary.BigEndian.AppendUint16(body, meant.Port())
	header := append(bytes.Clone(signature), versionAndCommand, family)
	header = binary.BigEndian.AppendUint16(header, uint16(len(body)))
	return append(header, body...)
}
