package podnetwork

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
)

// responderPort is the only port of a Responder.
const responderPort = 7

// Responder stands for the pods of a node when connections are tried: it is reached as a pod is, at the first address of the node's range, which
// no pod gets. It tells its address to whoever connects, and nothing else.
type Responder netip.Addr

var _ reach.Pod = Responder{}

// ResponderOf is the address of the responder of a node whose pods have addresses in the range.
func ResponderOf(pods netip.Prefix) netip.Addr { return pods.Masked().Addr() }

// Dial implements reach.Pod. The connection can be handed over to another process.
func (r Responder) Dial(_ context.Context, protocol podnet.Protocol, port uint16, _ netip.Addr) (net.Conn, error) {
	if protocol != podnet.TCP || port != responderPort {
		return nil, fmt.Errorf("the node does not answer at port %d: %w", port, reach.ErrRefused)
	}
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make a connection: %w", err)
	}
	own, theirs := os.NewFile(uintptr(ends[0]), "responder"), os.NewFile(uintptr(ends[1]), "responder")
	defer theirs.Close() // FileConn has a copy
	_, err = own.WriteString(netip.Addr(r).String())
	if err := errors.Join(err, own.Close()); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	return net.FileConn(theirs)
}

// responds returns nil if the responder with the address is at the end of the way.
func responds(ctx context.Context, way podnet.Dial, address netip.Addr) error {
	conn, err := way(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	said, err := io.ReadAll(io.LimitReader(conn, 64))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", address, err)
	}
	if string(said) != address.String() {
		return fmt.Errorf("%q answers instead of %s", said, address)
	}
	return nil
}
