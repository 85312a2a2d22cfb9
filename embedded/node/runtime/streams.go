package runtime

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

// streams serves exec, attach and port-forward to the kubelet on a loopback port. Each request needs a token that
// the runtime made for it. The token works once and for one minute.
type streams struct {
	streaming.Server
	http *http.Server
}

func newStreams(r *Runtime) (*streams, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for streams: %w", err)
	}
	config := streaming.DefaultConfig
	config.Addr = listener.Addr().String()
	config.BaseURL = &url.URL{Scheme: "http", Host: config.Addr}
	server, err := streaming.NewServer(config, streamer{r})
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("create streaming server: %w", err)
	}
	s := &streams{Server: server, http: &http.Server{Handler: server}}
	go func() { _ = s.http.Serve(listener) }() // ends with close
	return s, nil
}

func (s *streams) close() error { return s.http.Close() }

// Exec returns the address for running a command in a container.
func (r *Runtime) Exec(_ context.Context, request *cri.ExecRequest) (*cri.ExecResponse, error) {
	if _, err := r.ownProcess(request.GetContainerId()); err != nil {
		return nil, err
	}
	return r.streams.GetExec(request)
}

// Attach returns the address for reading a container's output.
func (r *Runtime) Attach(_ context.Context, request *cri.AttachRequest) (*cri.AttachResponse, error) {
	if _, err := r.runningContainer(request.GetContainerId()); err != nil {
		return nil, err
	}
	return r.streams.GetAttach(request)
}

// PortForward returns the address for reaching a pod's ports.
func (r *Runtime) PortForward(_ context.Context, request *cri.PortForwardRequest) (*cri.PortForwardResponse, error) {
	if err := r.reachable(request.GetPodSandboxId(), request.GetPort()...); err != nil {
		return nil, err
	}
	return r.streams.GetPortForward(request)
}

// streamer carries out the requests of the streaming server.
type streamer struct{ *Runtime }

func (s streamer) Exec(ctx context.Context, id string, argv []string, in io.Reader, out, errOut io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	c, err := s.ownProcess(id)
	if err != nil {
		return err
	}
	if !tty {
		return s.execIn(ctx, c, argv, in, out, errOut)
	}
	if c.record.Sandboxed {
		return inTerminal(ctx, in, out, resize, func(device *os.File) error {
			code, err := s.config.Sandboxes.ExecInTerminal(ctx, c.sandbox.record.ID, c.record.ID, argv, device)
			return exited(argv, code, err)
		})
	}
	cmd, err := s.config.execCommand(c, argv)
	if err != nil {
		return err
	}
	return runInTerminal(ctx, cmd, in, out, resize)
}

// Attach copies new output until the container ends or the client disconnects.
func (s streamer) Attach(ctx context.Context, id string, in io.Reader, out, errOut io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize) error {
	c, err := s.runningContainer(id)
	if err != nil {
		return err
	}
	s.mu.Lock()
	log, stdin, once := c.log, c.stdin, c.record.StdinOnce
	s.mu.Unlock()
	if log == nil {
		return fmt.Errorf("container %s has ended", id)
	}
	if in != nil && stdin != nil {
		go func() {
			_, _ = io.Copy(stdin, in)
			if once {
				_ = stdin.Close()
			}
		}()
	}
	a := log.attach()
	defer log.detach(a)
	for {
		select {
		case <-ctx.Done():
			return nil
		case chunk, ok := <-a.chunks:
			if !ok {
				return nil
			}
			target := out
			if chunk.stream == "stderr" {
				target = errOut
			}
			if target == nil {
				continue
			}
			if _, err := target.Write(chunk.data); err != nil {
				return nil // the client went
			}
		}
	}
}

// PortForward joins the stream with a connection to the pod's address.
func (s streamer) PortForward(ctx context.Context, id string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	if err := s.reachable(id, port); err != nil {
		return err
	}
	s.mu.Lock()
	sandbox, ok := s.sandboxes[id]
	address := s.config.NodeIP
	if ok && sandbox.record.Address.IsValid() {
		address = sandbox.record.Address
	}
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("sandbox %s does not exist", id)
	}
	conn, err := s.connect(ctx, id, address, port)
	if err != nil {
		return fmt.Errorf("forward port %d: %w", port, err)
	}
	defer conn.Close()
	go func() {
		_, _ = io.Copy(conn, stream)
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite()
		}
	}()
	_, _ = io.Copy(stream, conn)
	return nil
}

// connect reaches a port of a pod: in its own network if it is sandboxed, else at its address on the machine.
func (s streamer) connect(ctx context.Context, id string, address netip.Addr, port int32) (net.Conn, error) {
	for _, c := range s.containersOf(id) {
		if c.record.Sandboxed {
			return s.config.Sandboxes.Dial(ctx, id, uint16(port))
		}
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(address.String(), strconv.Itoa(int(port))))
}
