package drain_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/gardener-up/gardener-up/embedded/drain"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start serves HTTP/2. Requests of /slow are answered when slow is closed; each is told to begun. Connections that become idle after a
// request are told to idle.
func start(t *testing.T, slow <-chan struct{}, begun, idle chan<- struct{}) (*httptest.Server, *drain.Connections) {
	t.Helper()
	connections, answered := &drain.Connections{}, atomic.Bool{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/slow" {
			begun <- struct{}{}
			<-slow
		}
		answered.Store(true)
		_, _ = io.WriteString(w, "answered")
	}))
	server.EnableHTTP2, server.Config.ConnState = true, func(connection net.Conn, state http.ConnState) {
		connections.Note(connection, state)
		if state == http.StateIdle && answered.Load() {
			select {
			case idle <- struct{}{}:
			default:
			}
		}
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, connections
}

func get(server *httptest.Server, path string) (string, error) {
	response, err := server.Client().Get(server.URL + path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.ProtoMajor != 2 {
		err = errors.New("this is not HTTP/2")
	}
	return string(text), err
}

func TestShutdown(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	t.Run("an idle connection is not waited for", func(t *testing.T) {
		idle := make(chan struct{}, 1)
		server, connections := start(t, nil, nil, idle)
		if text, err := get(server, "/"); err != nil || text != "answered" {
			t.Fatalf("%q, %v", text, err)
		}
		<-idle                                                             // a moment after the answer
		if err := connections.Shutdown(ended, server.Config); err != nil { // there is no time to wait
			t.Error(err)
		}
	})
	t.Run("a request under way is answered", func(t *testing.T) {
		slow, begun, answers := make(chan struct{}), make(chan struct{}), make(chan string, 1)
		server, connections := start(t, slow, begun, nil)
		go func() {
			text, err := get(server, "/slow")
			if err != nil {
				text = err.Error()
			}
			answers <- text
		}()
		<-begun
		if err := connections.Shutdown(ended, server.Config); !errors.Is(err, context.Canceled) {
			t.Errorf("while it is under way: %v", err)
		}
		close(slow)
		if err := connections.Shutdown(t.Context(), server.Config); err != nil {
			t.Error(err)
		}
		if answer := <-answers; answer != "answered" {
			t.Error(answer)
		}
	})
}
