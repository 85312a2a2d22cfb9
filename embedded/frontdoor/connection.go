package frontdoor

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
)

const (
	helloTimeout = 5 * time.Second
	dialTimeout  = 5 * time.Second
	// alertTimeout bounds how long a refused client may take to read the reason.
	alertTimeout = time.Second
)

// Descriptions of TLS alerts (RFC 8446, section 6).
const (
	alertDecodeError      = 50
	alertInternalError    = 80
	alertUnrecognizedName = 112
)

// handle serves one connection until it ends.
func (s *Server) handle(ctx context.Context, conn *net.TCPConn) {
	_ = conn.SetReadDeadline(time.Now().Add(helloTimeout))
	serverName, head, err := readServerName(conn)
	if err != nil {
		if looksLikeTLS(head) {
			refuse(conn, alertDecodeError)
		}
		return
	}
	_ = conn.SetReadDeadline(time.Time{})
	serverName = strings.TrimSuffix(strings.ToLower(serverName), ".")
	destination, ok := s.route(serverName)
	if !ok {
		s.config.Log.V(1).Info("Refused unknown server name", "serverName", serverName, "client", conn.RemoteAddr().String())
		refuse(conn, alertUnrecognizedName)
		return
	}
	backend, err := s.open(ctx, destination, head)
	if err != nil {
		if s.config.Absent != nil {
			if absence, ok := s.config.Absent(ctx, destination); ok {
				absence.Answer(conn, head)
				return
			}
		}
		s.config.Log.V(1).Info("Destination cannot be reached", "serverName", serverName, "destination", destination.Host, "port", destination.Port, "error", err.Error())
		refuse(conn, alertInternalError)
		return
	}
	if _, err := conn.Write(backend.said); err != nil {
		_ = backend.conn.Close()
		return
	}
	relay.Join(conn, backend.conn)
}

// open connects to a destination and sends it what the client has said. If the destination has several addresses, it waits for the
// first answer of one.
func (s *Server) open(ctx context.Context, destination Destination, head []byte) (answer, error) {
	addresses, err := s.addresses(ctx, destination)
	if err != nil {
		return answer{}, err
	}
	return s.openOne(ctx, addresses, head)
}

// openOne is open for the addresses of a destination. Without a head it takes the first.
func (s *Server) openOne(ctx context.Context, addresses []string, head []byte) (answer, error) {
	if len(addresses) > 1 && len(head) > 0 {
		return s.ask(ctx, addresses, head)
	}
	conn, err := s.connect(ctx, addresses[0])
	if err != nil {
		return answer{}, err
	}
	if _, err := conn.Write(head); err != nil {
		_ = conn.Close()
		return answer{}, err
	}
	return answer{conn: conn}, nil
}

func (s *Server) route(serverName string) (Destination, bool) {
	if serverName == "" {
		return Destination{}, false
	}
	if destination, ok := s.static.lookup(serverName); ok {
		return destination, true
	}
	for _, source := range s.config.Sources {
		if destination, ok := source.Route(serverName); ok {
			return destination, true
		}
	}
	return Destination{}, false
}

// dial connects to one address of a destination.
func (s *Server) dial(ctx context.Context, destination Destination) (*net.TCPConn, error) {
	addresses, err := s.addresses(ctx, destination)
	if err != nil {
		return nil, err
	}
	return s.connect(ctx, addresses[0])
}

// addresses are those of a destination, one at least.
func (s *Server) addresses(ctx context.Context, destination Destination) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if s.config.Alternatives != nil {
		if all, known := s.config.Alternatives.Of(ctx, destination); len(all) > 0 {
			return all, nil
		} else if known {
			return nil, fmt.Errorf("no server of %s takes connections", destination.Host)
		}
	}
	address := net.JoinHostPort(destination.Host, strconv.Itoa(destination.Port))
	if _, err := netip.ParseAddr(destination.Host); err != nil && s.config.Resolve != nil {
		if address, err = s.config.Resolve(ctx, destination.Host, destination.Port); err != nil {
			return nil, fmt.Errorf("resolve %s: %w", destination.Host, err)
		}
	}
	return []string{address}, nil
}

func (s *Server) connect(ctx context.Context, address string) (*net.TCPConn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	dialer := net.Dialer{Resolver: s.config.Resolver}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}

// refuse sends a client the reason, and lets it read the reason before the connection closes.
func refuse(conn *net.TCPConn, description byte) {
	const alertRecord, fatal = 21, 2
	_ = conn.SetDeadline(time.Now().Add(alertTimeout))
	if _, err := conn.Write([]byte{alertRecord, 3, 3, 0, 2, fatal, description}); err != nil {
		return
	}
	_ = conn.CloseWrite()
	// Closing with unread data would send a reset, which makes the client drop the alert.
	buffer := make([]byte, 1024)
	for read := 0; read < maxHello; {
		n, err := conn.Read(buffer)
		if err != nil {
			return
		}
		read += n
	}
}
