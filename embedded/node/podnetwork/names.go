package podnetwork

import (
	"context"
	"errors"
	"net"

	"github.com/miekg/dns"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
)

const (
	// maxQuestions is how many questions of one connection are answered at a time.
	maxQuestions = 16
	maxMessage   = dns.MaxMsgSize
)

// askNames returns the way to the name server, which has no port: it answers in this process.
func (n *Network) askNames(protocol podnet.Protocol) podnet.Dial {
	return func(context.Context) (net.Conn, error) {
		client, server := net.Pipe()
		go serveNames(n.names, protocol, server)
		return client, nil
	}
}

// serveNames answers questions until the client closes the connection. Each packet is one write to the pipe, and one read of it.
func serveNames(names dns.Handler, protocol podnet.Protocol, pipe net.Conn) {
	defer pipe.Close()
	conn := &dns.Conn{Conn: pipe}
	receive := conn.ReadMsg
	if protocol == podnet.UDP {
		buffer := make([]byte, maxMessage)
		receive = func() (*dns.Msg, error) {
			size, err := pipe.Read(buffer)
			if err != nil {
				return nil, err
			}
			question := new(dns.Msg)
			return question, question.Unpack(buffer[:size])
		}
	}
	slots := make(chan struct{}, maxQuestions)
	for {
		question, err := receive()
		var damaged *dns.Error
		if errors.As(err, &damaged) && protocol == podnet.UDP {
			continue // the next packet may be better
		}
		if err != nil {
			return
		}
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			names.ServeDNS(answers{conn, pipe, protocol}, question)
		}()
	}
}

// answers carries the answers to one client.
type answers struct {
	stream   *dns.Conn
	pipe     net.Conn
	protocol podnet.Protocol
}

var _ dns.ResponseWriter = answers{}

// client is the address of a client in this process.
type client podnet.Protocol

func (c client) Network() string { return string(c) }
func (c client) String() string  { return "pod" }

func (a answers) LocalAddr() net.Addr  { return client(a.protocol) }
func (a answers) RemoteAddr() net.Addr { return client(a.protocol) }
func (a answers) Close() error         { return a.pipe.Close() }
func (a answers) TsigStatus() error    { return nil }
func (a answers) TsigTimersOnly(bool)  {}
func (a answers) Hijack()              {}

// WriteMsg sends an answer.
func (a answers) WriteMsg(message *dns.Msg) error {
	if a.protocol != podnet.UDP {
		return a.stream.WriteMsg(message)
	}
	packed, err := message.Pack()
	if err != nil {
		return err
	}
	_, err = a.pipe.Write(packed)
	return err
}

// Write sends an answer that is packed.
func (a answers) Write(packed []byte) (int, error) {
	if a.protocol != podnet.UDP {
		return a.stream.Write(packed)
	}
	return a.pipe.Write(packed)
}
