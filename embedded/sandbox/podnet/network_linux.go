package podnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/handover"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/kernel"
	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// Network is the network of a pod. Its methods may be called concurrently.
type Network struct {
	config  Config
	sockets *sockets
	reach   netip.AddrPort // the pod's redirected connections and packets arrive here, in the pod

	listener  *net.TCPListener
	packets   *net.UDPConn
	diagnosis kernel.Diagnosis
	tracking  kernel.Tracking
	held      *kernel.Beginnings // nil if the kernel cannot hold them

	ctx    context.Context // ends with the network
	cancel context.CancelFunc
	relays relay.Set
	loops  sync.WaitGroup
	ports  ports
	closed chan struct{}

	beginnings beginnings
}

// New makes the network of the pod whose agent serves the other end of the connection (package inside). It waits until the
// network works, and takes over the connection also if it fails. The network ends when the agent does, or by Close; the context limits only the wait.
func New(ctx context.Context, conn *net.UnixConn, config Config) (_ *Network, err error) {
	defer func() {
		if err != nil {
			_ = conn.Close()
		}
	}()
	if err := config.validate(); err != nil {
		return nil, err
	}
	files, err := handshake(ctx, conn, handover.Setup{Address: config.Address, Landscape: config.Landscape})
	if err != nil {
		return nil, fmt.Errorf("make the network of pod %s: %w", config.Address, err)
	}
	defer wire.Close(files)
	n := &Network{config: config, closed: make(chan struct{}), ports: ports{open: map[Port]*opened{}}, beginnings: beginnings{byFlow: map[flow]*beginning{}}}
	if err := n.adopt(files); err != nil {
		return nil, fmt.Errorf("use the network of pod %s: %w", config.Address, err)
	}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.sockets = newSockets(conn)
	n.loops.Go(n.acceptOutgoing)
	n.loops.Go(n.relayOutgoingPackets)
	n.loops.Go(n.watchPorts)
	if n.held != nil {
		n.loops.Go(n.answerBeginnings)
	}
	go n.end()
	return n, nil
}

var localhost = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// inLandscape reports whether the address is one of the landscape's.
func (c Config) inLandscape(address netip.Addr) bool {
	return slices.ContainsFunc(c.Landscape, func(prefix netip.Prefix) bool { return prefix.Contains(address) })
}

func (c Config) validate() error {
	switch {
	case !c.Address.Is4():
		return fmt.Errorf("pod address %s is not of IPv4", c.Address)
	case !c.inLandscape(c.Node) || !c.inLandscape(c.Address):
		return fmt.Errorf("node address %s or pod address %s is in no range of the landscape: %v", c.Node, c.Address, c.Landscape)
	case c.inLandscape(localhost):
		return fmt.Errorf("a range of the landscape contains %s, which belongs to the pod: %v", localhost, c.Landscape)
	case c.Decide == nil:
		return errors.New("nothing decides about the connections of the pod")
	}
	return nil
}

// handshake returns the files that come with the message Ready.
func handshake(ctx context.Context, conn *net.UnixConn, setup handover.Setup) ([]*os.File, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	messages := wire.Conn{UnixConn: conn}
	var ready handover.Ready
	err := messages.Send(setup)
	var files []*os.File
	if err == nil {
		files, err = messages.Receive(&ready)
	}
	switch {
	case !stop():
		err = context.Cause(ctx)
	case err != nil:
		err = fmt.Errorf("ask the agent: %w", err)
	case ready.Error != "":
		err = errors.New(ready.Error)
	case len(files) != handover.Files:
		err = fmt.Errorf("the agent sent %d sockets instead of %d", len(files), handover.Files)
	}
	if err != nil {
		wire.Close(files)
		return nil, err
	}
	return files, nil
}

// adopt copies the sockets that the agent has made.
func (n *Network) adopt(files []*os.File) (err error) {
	var opened []interface{ Close() error }
	defer func() {
		if err != nil {
			for _, socket := range opened {
				_ = socket.Close()
			}
		}
	}()
	listener, err := net.FileListener(files[handover.Listener])
	if err != nil {
		return err
	}
	opened = append(opened, listener)
	packets, err := net.FilePacketConn(files[handover.Packets])
	if err != nil {
		return err
	}
	opened = append(opened, packets)
	var okTCP, okUDP bool
	if n.listener, okTCP = listener.(*net.TCPListener); !okTCP {
		return fmt.Errorf("%T accepts no TCP", listener)
	}
	if n.packets, okUDP = packets.(*net.UDPConn); !okUDP {
		return fmt.Errorf("%T receives no UDP", packets)
	}
	n.reach = n.listener.Addr().(*net.TCPAddr).AddrPort()
	diagnosis, err := nonblocking(files[handover.Diagnosis])
	if err != nil {
		return err
	}
	opened = append(opened, diagnosis)
	tracking, err := nonblocking(files[handover.Tracking])
	if err != nil {
		return err
	}
	opened = append(opened, tracking)
	queue, err := nonblocking(files[handover.Beginnings])
	if err != nil {
		return err
	}
	n.diagnosis, n.tracking = kernel.NewDiagnosis(diagnosis), kernel.NewTracking(tracking)
	n.held, err = kernel.NewBeginnings(queue, handover.Queue, handover.Refused)
	if err != nil {
		n.config.Log.V(1).Info("Refused connections of pods will begin before they end", "reason", err.Error())
	}
	return nil
}

// nonblocking returns a copy of the file for which reads and writes have deadlines and end by Close.
func nonblocking(file *os.File) (*os.File, error) {
	copied, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(copied, true)
	}
	if err != nil {
		return nil, fmt.Errorf("copy socket: %w", err)
	}
	return os.NewFile(uintptr(copied), file.Name()), nil
}

// Done is closed when the network has ended and everything of it is closed.
func (n *Network) Done() <-chan struct{} { return n.closed }

// Close ends the network, all connections with it, and the agent. It waits for them. It may be called more than once.
func (n *Network) Close() {
	n.sockets.close()
	<-n.closed
}

// end waits for the agent's end and closes everything.
func (n *Network) end() {
	<-n.sockets.ended
	n.cancel()
	_ = n.listener.Close()
	_ = n.packets.Close()
	_ = n.diagnosis.Close()
	_ = n.tracking.Close()
	if n.held != nil {
		_ = n.held.Close()
	}
	n.relays.CloseAll()
	n.loops.Wait()
	n.beginnings.close()
	close(n.closed)
}
