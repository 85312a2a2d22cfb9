package shortanswers_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/gardener-up/gardener-up/embedded/shortanswers"
)

func TestOnly(t *testing.T) {
	const long = shortanswers.Longest + 1
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk, left := make([]byte, 1<<20), long
		if r.URL.Path == "/short" {
			left = shortanswers.Longest
		}
		for left > 0 {
			n, err := w.Write(chunk[:min(left, len(chunk))])
			if err != nil {
				return
			}
			left -= n
		}
	}))
	t.Cleanup(server.Close)
	client, err := rest.HTTPClientFor(shortanswers.Only(&rest.Config{Host: server.URL}))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		path string
		want int64
		err  error
	}{
		"an answer of the longest length is read": {"/short", shortanswers.Longest, nil},
		"a longer one is not":                     {"/long", 0, shortanswers.ErrLong},
		"a watch may last":                        {"/long?watch=true", long, nil},
	} {
		t.Run(name, func(t *testing.T) {
			answer, err := client.Get(server.URL + tc.path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			n, err := io.Copy(io.Discard, answer.Body)
			if !errors.Is(err, tc.err) || tc.err == nil && n != tc.want {
				t.Errorf("read %d bytes, error %v", n, err)
			}
		})
	}
}

func TestIdleConnectionsCanBeClosed(t *testing.T) {
	closed := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	server.Start()
	defer server.Close()
	config := shortanswers.Only(&rest.Config{Host: server.URL, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }})
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	utilnet.CloseIdleConnectionsFor(client.Transport)
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Error("the connection stays open")
	}
}
