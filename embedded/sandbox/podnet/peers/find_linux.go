package peers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// Find returns the way to a pod of any node of the cluster that uses the directory. Whether there is such a pod shows when it is dialled.
func Find(dir string, address netip.Addr) (reach.Pod, bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, false
	}
	for _, entry := range entries {
		if pods, ok := rangeOf(entry.Name()); ok && pods.Contains(address) {
			return remote{dir, entry.Name(), address}, true
		}
	}
	return nil, false
}

// remote is a pod of another node.
type remote struct {
	dir, file string
	address   netip.Addr
}

// Dial asks the pod's node for a connection.
func (r remote) Dial(ctx context.Context, protocol podnet.Protocol, port uint16, source netip.Addr) (conn net.Conn, err error) {
	err = through(r.dir, r.file, func(address *net.UnixAddr) error {
		raw, err := net.DialUnix(network, nil, address)
		if err != nil {
			return fmt.Errorf("reach the node of pod %s: %w", r.address, err)
		}
		defer raw.Close()
		defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
		conn, err = ask(wire.Conn{UnixConn: raw}, request{Protocol: protocol, Pod: netip.AddrPortFrom(r.address, port), Source: source})
		return err
	})
	return conn, err
}

func ask(node wire.Conn, what request) (net.Conn, error) {
	if err := node.Send(what); err != nil {
		return nil, fmt.Errorf("ask the node of pod %s: %w", what.Pod.Addr(), err)
	}
	var answer reply
	files, err := node.Receive(&answer)
	defer wire.Close(files)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask the node of pod %s: %w", what.Pod.Addr(), err)
	case answer.Error != "":
		return nil, errors.New(answer.Error)
	case len(files) != 1:
		return nil, fmt.Errorf("the node of pod %s sent %d connections", what.Pod.Addr(), len(files))
	}
	return net.FileConn(files[0])
}
