// Package shortanswers bounds how much of an answer of an API server a client reads. It is for API servers whose answers users choose:
// client-go reads an answer as a whole into the memory of the process, which serves others, too.
package shortanswers

import (
	"fmt"
	"io"
	"net/http"

	"k8s.io/client-go/rest"
)

// Longest is how many bytes of an answer are read, after decompression. 16 MiB are the Nodes of a cluster of some thousand nodes, or ten
// objects of the size that an etcd accepts at most.
const Longest = 16 << 20

// ErrLong is the error of a request whose answer is longer than Longest. Errors of clients wrap it.
var ErrLong = fmt.Errorf("the answer has more than %d MiB", Longest>>20)

// Only returns a configuration whose requests fail with ErrLong when an answer is longer than Longest. Watches may last: their decoder
// bounds each event. The given configuration does not change.
func Only(config *rest.Config) *rest.Config {
	out := rest.CopyConfig(config)
	out.Wrap(func(next http.RoundTripper) http.RoundTripper { return shortAnswers{next} })
	return out
}

type shortAnswers struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (s shortAnswers) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := s.next.RoundTrip(request)
	if err != nil || answer.StatusCode == http.StatusSwitchingProtocols || request.URL.Query().Get("watch") == "true" {
		return answer, err
	}
	if answer.ContentLength > Longest {
		_ = answer.Body.Close()
		return nil, ErrLong
	}
	answer.Body = &shortBody{ReadCloser: answer.Body, left: Longest}
	return answer, nil
}

// WrappedRoundTripper implements the interface by which idle connections are closed.
func (s shortAnswers) WrappedRoundTripper() http.RoundTripper { return s.next }

type shortBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *shortBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.left -= n; b.left < 0 {
		return 0, ErrLong
	}
	return n, err
}
