package podnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// bindWithoutPort is the socket option IP_BIND_ADDRESS_NO_PORT: the kernel chooses the port when the socket connects, so that ports of
// different destinations can be the same.
const bindWithoutPort = 24

// Dial connects to a port of the pod, at the pod's address. Programs in the pod see the source as the origin if it is an
// address of the landscape, and the node otherwise. The returned connection is a *net.TCPConn or a *net.UDPConn.
func (n *Network) Dial(ctx context.Context, protocol Protocol, port uint16, source netip.Addr) (net.Conn, error) {
	destination := netip.AddrPortFrom(n.config.Address, port)
	conn, err := n.dial(ctx, protocol, destination, n.origin(source))
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: string(protocol), Addr: net.TCPAddrFromAddrPort(destination), Err: err}
	}
	return conn, nil
}

// origin returns the address that the pod sees. Only the landscape's addresses can be used as a source in the pod.
func (n *Network) origin(source netip.Addr) netip.Addr {
	if source = source.Unmap(); n.config.inLandscape(source) {
		return source
	}
	return n.config.Node
}

func (n *Network) dial(ctx context.Context, protocol Protocol, destination netip.AddrPort, source netip.Addr) (net.Conn, error) {
	passed, err := n.sockets.get(protocol)
	if err != nil {
		return nil, err
	}
	defer passed.Close()
	fd := int(passed.Fd())
	_ = unix.SetsockoptInt(fd, unix.SOL_IP, bindWithoutPort, 1)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: source.As4()}); err != nil {
		return nil, fmt.Errorf("use source address %s: %w", source, err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	err = unix.Connect(fd, &unix.SockaddrInet4{Addr: destination.Addr().As4(), Port: int(destination.Port())})
	if errors.Is(err, unix.EINPROGRESS) {
		ctx, cancel := n.contextUntil(ctx)
		defer cancel()
		err = waitConnected(ctx, fd)
	}
	if err != nil {
		return nil, err
	}
	return net.FileConn(passed)
}

// waitConnected waits for the end of a connect call that is under way.
func waitConnected(ctx context.Context, fd int) error {
	copied, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(copied), "socket of a pod")
	defer file.Close()
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = file.SetWriteDeadline(time.Unix(1, 0)) })()
	var failed error
	err = raw.Write(func(fd uintptr) bool {
		state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		if ready, err := unix.Poll(state, 0); ready == 0 || err != nil {
			return false
		}
		var code int
		if code, failed = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR); failed == nil && code != 0 {
			failed = syscall.Errno(code)
		}
		return true
	})
	if ctx.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	return errors.Join(err, failed)
}
