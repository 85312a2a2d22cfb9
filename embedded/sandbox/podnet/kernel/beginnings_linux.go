package kernel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Beginnings are the first packets of TCP connections, which the kernel holds in a queue until each is answered.
type Beginnings struct {
	file     *os.File
	queue    uint16
	refused  uint32
	buffer   []byte
	received []Beginning
}

// Beginning is the first packet of a connection.
type Beginning struct {
	id                  uint32
	Source, Destination netip.AddrPort
}

// Answer is what happens to a beginning.
type Answer int

// The answers.
const (
	Continue Answer = iota // the connection is redirected
	Refuse                 // the client gets an error
	Drop                   // nothing: the client waits, and sends the packet again
)

// Numbers of the subsystem nfnetlink_queue.
const (
	packetMessage  = unix.NFNL_SUBSYS_QUEUE << 8
	verdictMessage = packetMessage | 1
	configMessage  = packetMessage | 2

	configCommand = 1
	configParams  = 2
	commandBind   = 1
	copyPacket    = 2

	packetHeader  = 1
	verdictHeader = 2
	packetMark    = 3
	packetPayload = 10

	verdictDrop   = 0
	verdictAccept = 1
)

// headers is how much of a packet the kernel shows: the longest header of IPv4, and the ports.
const headers = 64

// NewBeginnings takes over a socket of type NETLINK_NETFILTER that does not block, and opens the queue. Refused is the mark by which a rule
// of the network namespace knows packets to refuse. The error is that the kernel cannot hold packets; the socket is closed then.
func NewBeginnings(file *os.File, queue uint16, refused uint32) (*Beginnings, error) {
	b := &Beginnings{file: file, queue: queue, refused: refused, buffer: make([]byte, 32<<10)}
	params := append(binary.BigEndian.AppendUint32(nil, headers), copyPacket)
	for _, attribute := range []netlink.Attribute{
		{Type: configCommand, Data: []byte{commandBind, 0, 0, 0}},
		{Type: configParams, Data: params},
	} {
		attributes, err := netlink.MarshalAttributes([]netlink.Attribute{attribute})
		if err == nil {
			err = newConn(file).ask(configMessage, unix.NLM_F_ACK, append(b.header(), attributes...), func([]byte) {})
		}
		if err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("open the queue of beginning connections: %w", err)
		}
	}
	return b, file.SetDeadline(time.Time{})
}

// header is the structure nfgenmsg.
func (b *Beginnings) header() []byte {
	return binary.BigEndian.AppendUint16([]byte{unix.AF_UNSPEC, unix.NFNETLINK_V0}, b.queue)
}

// Close closes the queue. The kernel drops what waits in it.
func (b *Beginnings) Close() error { return b.file.Close() }

// Next waits for a beginning. Only one goroutine may call it. The error is os.ErrClosed after Close.
func (b *Beginnings) Next() (Beginning, error) {
	for len(b.received) == 0 {
		n, err := b.file.Read(b.buffer)
		if errors.Is(err, syscall.ENOBUFS) {
			continue // the queue was full: the clients send again
		}
		if err != nil {
			return Beginning{}, err
		}
		messages, err := syscall.ParseNetlinkMessage(b.buffer[:n])
		if err != nil {
			return Beginning{}, err
		}
		for _, message := range messages {
			if beginning, ok := beginningIn(message); ok {
				b.received = append(b.received, beginning)
			}
		}
	}
	next := b.received[0]
	b.received = b.received[1:]
	return next, nil
}

func beginningIn(message syscall.NetlinkMessage) (Beginning, bool) {
	if message.Header.Type != packetMessage || len(message.Data) < 4 {
		return Beginning{}, false
	}
	decoder, err := netlink.NewAttributeDecoder(message.Data[4:])
	if err != nil {
		return Beginning{}, false
	}
	var found Beginning
	var hasID bool
	for decoder.Next() {
		switch data := decoder.Bytes(); decoder.Type() {
		case packetHeader:
			if hasID = len(data) >= 4; hasID {
				found.id = binary.BigEndian.Uint32(data)
			}
		case packetPayload:
			found.Source, found.Destination = endpoints(data)
		}
	}
	return found, hasID
}

// endpoints reads the addresses and ports of a packet of TCP. They are not valid if the packet is something else.
func endpoints(packet []byte) (source, destination netip.AddrPort) {
	if len(packet) < 20 || packet[0]>>4 != 4 {
		return
	}
	ports := int(packet[0]&0xf) * 4
	if ports < 20 || len(packet) < ports+4 {
		return
	}
	source = netip.AddrPortFrom(netip.AddrFrom4([4]byte(packet[12:16])), binary.BigEndian.Uint16(packet[ports:]))
	destination = netip.AddrPortFrom(netip.AddrFrom4([4]byte(packet[16:20])), binary.BigEndian.Uint16(packet[ports+2:]))
	return
}

// Answer lets the kernel go on. It may be called concurrently, once for each beginning.
func (b *Beginnings) Answer(beginning Beginning, answer Answer) error {
	verdict := uint32(verdictAccept)
	if answer == Drop {
		verdict = verdictDrop
	}
	attributes := []netlink.Attribute{{
		Type: verdictHeader, Data: binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, verdict), beginning.id),
	}}
	if answer == Refuse {
		attributes = append(attributes, netlink.Attribute{Type: packetMark, Data: binary.BigEndian.AppendUint32(nil, b.refused)})
	}
	data, err := netlink.MarshalAttributes(attributes)
	if err != nil {
		return err
	}
	_, err = b.file.Write(newMessage(verdictMessage, 0, 0, append(b.header(), data...)))
	return err
}
