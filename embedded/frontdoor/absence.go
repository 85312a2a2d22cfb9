package frontdoor

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// absenceTimeout bounds how long a client may take for its request and to read the answer.
	absenceTimeout = 5 * time.Second
	maxRequest     = 64 << 10 // bytes of a request's header
)

// Absence is what the front door answers in the place of a Kubernetes API server that does not run on purpose.
type Absence struct {
	Certificate tls.Certificate // of that server
	Reason      string          // for people
}

// Answer answers one request. head is what was read from conn before.
func (a Absence) Answer(conn *net.TCPConn, head []byte) {
	_ = conn.SetDeadline(time.Now().Add(absenceTimeout))
	client := tls.Server(replayed{conn, io.MultiReader(bytes.NewReader(head), conn)}, &tls.Config{
		Certificates: []tls.Certificate{a.Certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	})
	request, err := http.ReadRequest(bufio.NewReader(io.LimitReader(client, maxRequest)))
	if err != nil {
		return
	}
	if err := a.response(request).Write(client); err != nil {
		return
	}
	_ = client.CloseWrite()
	_, _ = io.CopyN(io.Discard, client, maxRequest) // closing with unread data would make the client drop the answer
}

// response says that the service is unavailable, and why. Clients of Kubernetes show no reason of that when they discover the
// kinds of a cluster, which kubectl does first, but they show the text of an internal error.
func (a Absence) response(request *http.Request) *http.Response {
	path := strings.TrimSuffix(request.URL.Path, "/")
	if path == "/api" || path == "/apis" {
		return respond(request, http.StatusInternalServerError, "text/plain", []byte(a.Reason))
	}
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Reason: metav1.StatusReasonServiceUnavailable, Code: http.StatusServiceUnavailable, Message: a.Reason,
	}
	text, err := json.Marshal(status)
	if err != nil {
		return respond(request, http.StatusInternalServerError, "text/plain", []byte(err.Error()))
	}
	return respond(request, http.StatusServiceUnavailable, "application/json", text)
}

func respond(request *http.Request, code int, kind string, text []byte) *http.Response {
	return &http.Response{
		StatusCode: code, ProtoMajor: 1, ProtoMinor: 1, Request: request, Close: true, Header: http.Header{"Content-Type": {kind}},
		ContentLength: int64(len(text)), Body: io.NopCloser(bytes.NewReader(text)),
	}
}

// replayed is a connection from which something was read before.
type replayed struct {
	*net.TCPConn
	from io.Reader
}

// Read implements net.Conn.
func (r replayed) Read(p []byte) (int, error) { return r.from.Read(p) }
