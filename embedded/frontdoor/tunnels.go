package frontdoor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/embedded/internal/relay"
)

// tunnelHeader names the destination of a tunnel. Its values are the same as at the ingress gateway of a Gardener
// seed.
const tunnelHeader = "Reversed-VPN"

// tunnelServer matches the only possible destination: the server of a shoot's tunnel, by one of its two names
// (VPN-2, KON-5).
var tunnelServer = regexp.MustCompile(`^outbound\|(?:(1194)\|\|(vpn-seed-server)|(8132)\|\|(proxy-server))\.(shoot--[a-z0-9-]+)\.svc\.cluster\.local$`)

// maxTunnelHead bounds what a client may send before it is accepted.
const maxTunnelHead = 8 << 10

// tunnelDestination returns the destination of a request and its namespace.
func tunnelDestination(request *http.Request) (destination Destination, namespace string, err error) {
	if request.Method != http.MethodConnect {
		return destination, "", errors.New("only CONNECT is served here")
	}
	match := tunnelServer.FindStringSubmatch(strings.ToLower(request.Header.Get(tunnelHeader)))
	if match == nil {
		return destination, "", fmt.Errorf("header %s names no server of a tunnel", tunnelHeader)
	}
	port, err := strconv.Atoi(match[1] + match[3]) // one of each pair is empty
	if err != nil {
		return destination, "", fmt.Errorf("header %s names no port: %w", tunnelHeader, err)
	}
	return Destination{Host: match[2] + match[4] + "." + match[5] + ".svc.cluster.local", Port: port}, match[5], nil
}

// handleTunnel joins a CONNECT request to the VPN server that its header names (VPN-2). The traffic after it is
// encrypted end to end. The request is parsed here instead of by an HTTP server, so that the kernel can copy the
// data.
func (s *Server) handleTunnel(ctx context.Context, conn *net.TCPConn) {
	_ = conn.SetDeadline(time.Now().Add(helloTimeout))
	head := bufio.NewReaderSize(conn, maxTunnelHead)
	request, err := http.ReadRequest(head)
	if err != nil {
		answerTunnel(conn, http.StatusBadRequest)
		return
	}
	destination, namespace, err := tunnelDestination(request)
	if err == nil && !s.serves(namespace) {
		err = errors.New("the tunnel does not belong to this front door")
	}
	if err != nil {
		s.config.Log.V(1).Info("Refused a tunnel", "client", conn.RemoteAddr().String(), "reason", err.Error())
		answerTunnel(conn, http.StatusNotFound)
		return
	}
	if head.Buffered() > 0 { // a client has nothing to say before the answer
		answerTunnel(conn, http.StatusBadRequest)
		return
	}
	backend, err := s.dial(ctx, destination)
	if err != nil {
		s.config.Log.V(1).Info("VPN server cannot be reached", "destination", destination.Host, "error", err.Error())
		answerTunnel(conn, http.StatusServiceUnavailable)
		return
	}
	answerTunnel(conn, http.StatusOK)
	_ = conn.SetDeadline(time.Time{})
	relay.Join(conn, backend)
}

func answerTunnel(conn *net.TCPConn, code int) {
	length := "Content-Length: 0\r\n"
	if code == http.StatusOK {
		length = ""
	}
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\n%s\r\n", code, http.StatusText(code), length)
}
