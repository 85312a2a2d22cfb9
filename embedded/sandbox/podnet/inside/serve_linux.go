package inside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/handover"
	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// Serve makes the network of this process's network namespace as the daemon asks for, and then makes sockets for the daemon. It
// returns nil when the daemon closes its end, and an error if the network could not be made. It closes the connection when it
// returns, also when the context ends. The connection must be a Unix socket of type SOCK_SEQPACKET.
func Serve(ctx context.Context, conn *net.UnixConn) error {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	messages := wire.Conn{UnixConn: conn}
	var setup handover.Setup
	if _, err := messages.Receive(&setup); err != nil {
		return ended(ctx, fmt.Errorf("receive the description of the pod's network: %w", err))
	}
	files, err := prepare(setup)
	if err != nil {
		return errors.Join(err, messages.Send(handover.Ready{Error: err.Error()}))
	}
	err = messages.Send(handover.Ready{}, files...)
	wire.Close(files)
	if err != nil {
		return ended(ctx, fmt.Errorf("hand over the pod's network: %w", err))
	}
	for {
		kind, err := handover.ReceiveRequest(conn)
		if err != nil {
			return ended(ctx, fmt.Errorf("receive request for a socket: %w", err))
		}
		if err := answer(conn, kind); err != nil {
			return ended(ctx, fmt.Errorf("hand over a socket: %w", err))
		}
	}
}

// ended turns the error of a closed connection into the reason: nil if the daemon has closed its end.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return nil
	}
	return err
}

func answer(conn *net.UnixConn, kind handover.Kind) error {
	socket, err := newSocket(kind)
	if err != nil {
		return handover.SendSocket(conn, 0, err)
	}
	defer unix.Close(socket)
	return handover.SendSocket(conn, socket, nil)
}

func newSocket(kind handover.Kind) (int, error) {
	switch kind {
	case handover.TCP:
		return unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	case handover.UDP:
		return unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_UDP)
	}
	return 0, fmt.Errorf("no kind of socket is called %q", byte(kind))
}

// prepare makes the network and returns the files of the message Ready.
func prepare(setup handover.Setup) (_ []*os.File, err error) {
	if err := configure(setup); err != nil {
		return nil, err
	}
	files := make([]*os.File, handover.Files)
	defer func() {
		if err != nil {
			wire.Close(files)
		}
	}()
	var port uint16
	if port, files[handover.Listener], files[handover.Packets], err = listen(); err != nil {
		return nil, err
	}
	if files[handover.Diagnosis], err = netlinkSocket(unix.NETLINK_SOCK_DIAG); err != nil {
		return nil, err
	}
	if files[handover.Tracking], err = netlinkSocket(unix.NETLINK_NETFILTER); err != nil {
		return nil, err
	}
	if files[handover.Beginnings], err = netlinkSocket(unix.NETLINK_NETFILTER); err != nil {
		return nil, err
	}
	hold(setup)
	return files, redirect(setup, port)
}

func netlinkSocket(family int) (*os.File, error) {
	socket, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, family)
	if err != nil {
		return nil, fmt.Errorf("open netlink socket %d: %w", family, err)
	}
	return os.NewFile(uintptr(socket), "netlink"), nil
}
