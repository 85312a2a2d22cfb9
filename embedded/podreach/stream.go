package podreach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	//lint:ignore SA1019 the dialer of client-go has types of this package
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
)

// maxReason bounds what the node of a pod says about a connection that it cannot make.
const maxReason = 1024

// Stream opens one connection to a port of the pod, at the loopback address in the network of the pod. The API server of the seed
// forwards it. Unlike Reach it opens no port of this machine. ctx bounds the opening only. The caller closes the stream. Reading tells why the
// node cannot connect to the port.
func Stream(ctx context.Context, seed *rest.Config, pod types.NamespacedName, port string) (io.ReadWriteCloser, error) {
	dialer, err := dialerOf(seed, pod)
	if err != nil {
		return nil, fmt.Errorf("connect to pod %s: %w", pod.Name, err)
	}
	type result struct {
		stream *stream
		err    error
	}
	done := make(chan result, 1)
	go func() { // dialling knows no context
		opened, err := open(dialer, port)
		done <- result{opened, err}
	}()
	select {
	case got := <-done:
		if got.err != nil {
			return nil, fmt.Errorf("connect to pod %s: %w", pod.Name, got.err)
		}
		return got.stream, nil
	case <-ctx.Done():
		go func() {
			if late := <-done; late.err == nil {
				_ = late.stream.Close()
			}
		}()
		return nil, fmt.Errorf("connect to pod %s: %w", pod.Name, ctx.Err())
	}
}

func open(dialer httpstream.Dialer, port string) (*stream, error) {
	conn, protocol, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, err
	}
	if protocol != portforward.PortForwardProtocolV1Name {
		return nil, errors.Join(fmt.Errorf("the API server speaks %q instead of %q", protocol, portforward.PortForwardProtocolV1Name), conn.Close())
	}
	header := func(kind string) http.Header {
		out := http.Header{}
		out.Set(corev1.StreamType, kind)
		out.Set(corev1.PortHeader, port)
		out.Set(corev1.PortForwardRequestIDHeader, "0")
		return out
	}
	reasons, err := conn.CreateStream(header(corev1.StreamTypeError))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open stream of errors: %w", err), conn.Close())
	}
	_ = reasons.Close() // nothing is sent on it
	data, err := conn.CreateStream(header(corev1.StreamTypeData))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open stream of data: %w", err), conn.Close())
	}
	opened := &stream{Stream: data, conn: conn, told: make(chan struct{})}
	go opened.listen(reasons)
	return opened, nil
}

// stream is a connection to a port of a pod.
type stream struct {
	httpstream.Stream
	conn httpstream.Connection

	told   chan struct{} // closed when the node says nothing more
	reason string        // why it cannot connect; valid then
	once   sync.Once
}

// listen closes everything when the node tells an error, since the stream of data does not always end then.
func (s *stream) listen(reasons io.Reader) {
	text, _ := io.ReadAll(io.LimitReader(reasons, maxReason))
	s.reason = strings.TrimSpace(string(text))
	close(s.told)
	if s.reason != "" {
		_ = s.Close()
	}
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Stream.Read(p)
	if err == nil {
		return n, nil
	}
	select {
	case <-s.told:
		if s.reason != "" {
			return n, errors.New(s.reason)
		}
	default:
	}
	return n, err
}

// Close ends the connection. It may be called again.
func (s *stream) Close() (err error) {
	s.once.Do(func() { err = errors.Join(s.Stream.Reset(), s.conn.Close()) })
	return err
}
