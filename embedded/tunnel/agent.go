package tunnel

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/go-logr/logr"
)

const (
	// retryDelay is how long an agent waits before it dials again; it doubles up to maxRetryDelay.
	retryDelay    = 500 * time.Millisecond
	maxRetryDelay = 10 * time.Second
)

// Agent is the end of the tunnel inside the shoot.
type Agent struct {
	// Gateway is host:port of the front door's listener for tunnels.
	Gateway string
	// Destination names the server for the front door, in the header Reversed-VPN.
	Destination string
	// TLS is used with the server, through the front door. It contains the agent's certificate.
	TLS *tls.Config
	Log logr.Logger

	connected func() // for tests
}

// Run keeps the tunnel up until ctx ends.
func (a *Agent) Run(ctx context.Context) error {
	delay := retryDelay
	for {
		begin := time.Now()
		err := a.once(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if time.Since(begin) > maxRetryDelay { // it had worked
			delay = retryDelay
		}
		a.Log.Info("Tunnel is down, will dial again", "after", delay.String(), "reason", err.Error())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(delay):
		}
		delay = min(2*delay, maxRetryDelay)
	}
}

// once dials and serves until the connection breaks.
func (a *Agent) once(ctx context.Context) error {
	conn, err := a.dial(ctx)
	if err != nil {
		return err
	}
	return Answerer{Log: a.Log, Up: func() {
		a.Log.Info("Tunnel is up", "gateway", a.Gateway)
		if a.connected != nil {
			a.connected()
		}
	}, Dial: func(address string) (net.Conn, error) {
		return net.DialTimeout("tcp", address, dialTimeout)
	}}.Answer(ctx, conn)
}

// dial connects to the server through the front door.
func (a *Agent) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := (&net.Dialer{KeepAlive: keepAlive}).DialContext(ctx, "tcp", a.Gateway)
	if err != nil {
		return nil, fmt.Errorf("dial front door: %w", err)
	}
	if err := a.connect(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	secure := tls.Client(conn, a.TLS)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("greet vpn-seed-server: %w", err), conn.Close())
	}
	return secure, nil
}

// connect asks the front door to connect to the server. Neither side sends anything before the answer, so nothing is
// left in the reader.
func (a *Agent) connect(ctx context.Context, conn net.Conn) error {
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	request := &http.Request{
		Method: http.MethodConnect, URL: &url.URL{Opaque: a.Gateway}, Host: a.Gateway,
		Header: http.Header{Header: {a.Destination}},
	}
	if err := request.Write(conn); err != nil {
		return fmt.Errorf("ask front door for vpn-seed-server: %w", err)
	}
	answer, err := http.ReadResponse(bufio.NewReaderSize(conn, 4096), request)
	if err != nil {
		return fmt.Errorf("ask front door for vpn-seed-server: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("front door refuses the tunnel to %q: %s", a.Destination, answer.Status)
	}
	return conn.SetDeadline(time.Time{})
}

// Header of CONNECT requests to the front door names the server, as the ingress gateway of a Gardener seed has it:
// outbound|1194||vpn-seed-server.<namespace>.svc.cluster.local.
const Header = "Reversed-VPN"
