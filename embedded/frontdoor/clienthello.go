package frontdoor

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"
)

// maxHello bounds what is read before the destination of a connection is known. Real hellos have up to 2 KiB.
const maxHello = 16 << 10

var errHaveName = errors.New("server name read")

// readServerName reads a ClientHello in any number of records and packets. It returns the server name, which is
// empty if the client sent none, and everything read from r. It returns these bytes together with an error, too.
func readServerName(r io.Reader) (serverName string, head []byte, err error) {
	conn := &recorder{r: io.LimitReader(r, maxHello)}
	// The standard library parses the hello. Its server is stopped right after that.
	server := tls.Server(conn, &tls.Config{
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			serverName = hello.ServerName
			return nil, errHaveName
		},
	})
	if err = server.Handshake(); errors.Is(err, errHaveName) {
		err = nil
	} else if err == nil {
		err = errors.New("no ClientHello")
	}
	return serverName, conn.read.Bytes(), err
}

// looksLikeTLS reports whether the peer would understand an alert.
func looksLikeTLS(head []byte) bool {
	const handshakeRecord = 22
	return len(head) > 1 && head[0] == handshakeRecord && head[1] == 3
}

// recorder is a connection that records what is read and drops what is written.
type recorder struct {
	r    io.Reader
	read bytes.Buffer
}

func (c *recorder) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.read.Write(p[:n])
	return n, err
}

func (c *recorder) Write(p []byte) (int, error)      { return len(p), nil }
func (c *recorder) Close() error                     { return nil }
func (c *recorder) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *recorder) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *recorder) SetDeadline(time.Time) error      { return nil }
func (c *recorder) SetReadDeadline(time.Time) error  { return nil }
func (c *recorder) SetWriteDeadline(time.Time) error { return nil }
