package handover

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// Setup describes the network of a pod. It is the first message of the daemon.
type Setup struct {
	// Address is the pod's own.
	Address netip.Addr `json:"address"`
	// Landscape are ranges below 127.0.0.0/8 which belong to the landscape. What the pod sends there goes to the daemon, except
	// what it sends to its own address. All other addresses below 127.0.0.0/8 belong to the pod.
	Landscape []netip.Prefix `json:"landscape,omitempty"`
}

// Ready answers Setup.
type Ready struct {
	// Error says why the network could not be made. Then no files come with the message.
	Error string `json:"error,omitempty"`
}

// The files that come with Ready, in this order.
const (
	Listener   = iota // accepts the redirected TCP connections of the pod
	Packets           // receives the redirected UDP packets of the pod
	Diagnosis         // a netlink socket that lists the sockets of the pod
	Tracking          // a netlink socket that knows the original destinations of UDP packets
	Beginnings        // a netlink socket for the beginnings of TCP connections, which the kernel holds until the daemon answers
	Files             // is the number of files
)

const (
	// Queue is the number of the kernel's queue with beginnings of TCP connections.
	Queue = 1
	// Refused marks the beginning of a connection that the kernel resets.
	Refused = 0x9d
)

// Kind is what socket the daemon asks for. A request is one such byte.
type Kind byte

// The kinds of sockets. A new socket is neither bound nor connected, and does not block.
const (
	TCP Kind = 't'
	UDP Kind = 'u'
)

// maxReply is the size of the longest reply: an error text.
const maxReply = 512

// Request asks the agent for a socket. The reply is received by ReceiveSocket.
func Request(conn *net.UnixConn, kind Kind) error {
	_, err := conn.Write([]byte{byte(kind)})
	return err
}

// ReceiveRequest waits for a request. The error is io.EOF when the daemon has closed the connection.
func ReceiveRequest(conn *net.UnixConn) (Kind, error) {
	var buffer [1]byte
	n, err := conn.Read(buffer[:])
	if err == nil && n == 0 {
		err = io.EOF
	}
	return Kind(buffer[0]), err
}

// SendSocket answers a request with a socket, or with the reason why there is none. The caller keeps the socket.
func SendSocket(conn *net.UnixConn, socket int, reason error) error {
	if reason != nil {
		text := reason.Error()
		_, err := conn.Write([]byte(text[:min(len(text), maxReply)]))
		return err
	}
	_, _, err := conn.WriteMsgUnix([]byte{0}, unix.UnixRights(socket), nil)
	return err
}

// Socket is the answer to a request. Exactly one of the fields is set.
type Socket struct {
	// File does not block and belongs to the receiver.
	File *os.File
	// Refusal says why the agent could not make the socket.
	Refusal error
}

// ReceiveSocket waits for the answer to a request. The error is io.EOF when the agent has ended.
func ReceiveSocket(conn *net.UnixConn) (Socket, error) {
	data, rights := make([]byte, maxReply), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := conn.ReadMsgUnix(data, rights)
	switch {
	case err != nil:
		return Socket{}, err
	case n == 0:
		return Socket{}, io.EOF
	case m == 0:
		return Socket{Refusal: errors.New(string(data[:n]))}, nil
	}
	messages, err := unix.ParseSocketControlMessage(rights[:m])
	if err != nil {
		return Socket{}, fmt.Errorf("read passed socket: %w", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return Socket{}, fmt.Errorf("read passed socket: %w", err)
	}
	unix.CloseOnExec(fds[0])
	return Socket{File: os.NewFile(uintptr(fds[0]), "socket of a pod")}, nil
}
