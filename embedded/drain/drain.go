// Package drain stops HTTP servers when they have answered, and does not wait for idle connections.
package drain

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// look is the time between two looks at the connections.
const look = 5 * time.Millisecond

// Connections are those of a server on which requests are answered. The server's ConnState has to be Note.
type Connections struct {
	mu     sync.Mutex
	active map[net.Conn]bool
}

// Note is for http.Server.ConnState.
func (c *Connections) Note(connection net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state != http.StateActive {
		delete(c.active, connection)
		return
	}
	if c.active == nil {
		c.active = map[net.Conn]bool{}
	}
	c.active[connection] = true
}

func (c *Connections) idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.active) == 0
}

// Shutdown makes the server accept nothing any more, and returns when its requests are answered and all connections are closed. It
// returns the error of ctx if that ends before. http.Server.Shutdown alone gives clients a second to close idle connections of HTTP/2,
// and takes that second because they do not.
func (c *Connections) Shutdown(ctx context.Context, server *http.Server) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Shutdown(context.WithoutCancel(ctx)) }()
	for !c.idle() {
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
	if err := server.Close(); err != nil {
		return err
	}
	return <-ended
}
