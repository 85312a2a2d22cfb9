package tunnel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/go-logr/logr"
	"github.com/hashicorp/yamux"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
)

// Answerer is the agent's end of a tunnel over a connection that exists.
type Answerer struct {
	// Dial connects to what a stream asks for. It is called from many goroutines.
	Dial func(address string) (net.Conn, error)
	// Up is called when the server has answered; nil does nothing.
	Up  func()
	Log logr.Logger
}

// Answer answers the server's streams until the connection breaks or ctx ends, and closes the connection.
func (a Answerer) Answer(ctx context.Context, conn io.ReadWriteCloser) error {
	session, err := yamux.Server(conn, sessionConfig())
	if err != nil {
		return errors.Join(fmt.Errorf("begin session: %w", err), conn.Close())
	}
	defer session.Close()
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	if _, err := session.Ping(); err != nil {
		return fmt.Errorf("greet the server: %w", err)
	}
	if a.Up != nil {
		a.Up()
	}
	for {
		stream, err := session.AcceptStream()
		if err != nil {
			return fmt.Errorf("take streams: %w", err)
		}
		if session.NumStreams() > maxStreams {
			a.Log.V(1).Info("Stream is refused: there are too many", "streams", maxStreams)
			_ = stream.Close()
			continue
		}
		go a.serve(stream)
	}
}

func (a Answerer) serve(stream net.Conn) {
	defer stream.Close()
	target, err := accept(stream, a.Dial)
	if err != nil {
		a.Log.V(1).Info("Stream is refused", "error", err.Error())
		return
	}
	relay.Join(stream, target)
}
