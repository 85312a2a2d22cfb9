package peers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/reach"
	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// dialTimeout limits how long a pod of this node may take to accept a connection.
const dialTimeout = 10 * time.Second

// Server hands over connections to the pods of a node.
type Server struct {
	file     string
	pod      func(netip.Addr) (reach.Pod, bool)
	listener *net.UnixListener
	conns    relay.Set
	ended    chan struct{}
}

// Serve begins to serve the other nodes of the cluster that use the directory. pods is the range of addresses of this node's pods, and pod
// finds one of them.
func Serve(dir string, pods netip.Prefix, pod func(netip.Addr) (reach.Pod, bool)) (*Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the nodes' sockets: %w", err)
	}
	s := &Server{file: filepath.Join(dir, fileOf(pods)), pod: pod, ended: make(chan struct{})}
	if err := os.Remove(s.file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket of a former node: %w", err)
	}
	err := through(dir, fileOf(pods), func(address *net.UnixAddr) (err error) {
		s.listener, err = net.ListenUnix(network, address)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listen for the other nodes of the cluster: %w", err)
	}
	s.listener.SetUnlinkOnClose(false) // by a name that is no longer valid
	go s.accept()
	return s, nil
}

// Close ends the server. Connections that were handed over stay.
func (s *Server) Close() {
	_ = os.Remove(s.file)
	_ = os.Remove(filepath.Dir(s.file)) // fails while other nodes use it
	_ = s.listener.Close()
	<-s.ended
	s.conns.CloseAll()
}

func (s *Server) accept() {
	defer close(s.ended)
	for {
		conn, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files: others end some time
			time.Sleep(100 * time.Millisecond)
			continue
		}
		s.conns.Go(conn, func() { s.answer(wire.Conn{UnixConn: conn}) })
	}
}

// answer hands over one connection.
func (s *Server) answer(conn wire.Conn) {
	_ = conn.SetDeadline(time.Now().Add(dialTimeout))
	var asked request
	files, err := conn.Receive(&asked)
	wire.Close(files)
	if err != nil {
		return
	}
	file, err := s.dial(asked)
	if err != nil {
		_ = conn.Send(reply{Error: err.Error()})
		return
	}
	defer file.Close()
	_ = conn.Send(reply{}, file)
}

func (s *Server) dial(asked request) (*os.File, error) {
	pod, ok := s.pod(asked.Pod.Addr())
	if !ok {
		return nil, fmt.Errorf("no pod in a sandbox has the address %s", asked.Pod.Addr())
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	conn, err := pod.Dial(ctx, asked.Protocol, asked.Pod.Port(), asked.Source)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	filed, ok := conn.(interface{ File() (*os.File, error) })
	if !ok {
		return nil, fmt.Errorf("%T cannot be handed over", conn)
	}
	return filed.File()
}
