package callback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// freeAddress is an address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// start runs the component until the test ends.
func start(t *testing.T, names ...string) config {
	t.Helper()
	c := config{ports: map[string]string{}, process: freeAddress(t), probe: freeAddress(t)}
	for _, name := range names {
		c.ports[name] = freeAddress(t)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx, c) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the component ended with %v", err)
		}
	})
	testwait.Until(t, "the component listens", func() error { _, err := get(c.probe, "/healthz"); return err })
	return c
}

// connect answers the calls of the component until the function returned is called.
func connect(t *testing.T, c config, servers *Servers) (stop func()) {
	t.Helper()
	conn, err := net.Dial("tcp", c.process)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	up, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- servers.Answer(ctx, conn, func() { close(up) }, logr.Discard()) }()
	select {
	case <-up:
	case err := <-done:
		t.Fatalf("the connection broke: %v", err)
	}
	stop = func() { cancel(); <-done; done <- nil }
	t.Cleanup(stop)
	testwait.Until(t, "the component says that it is connected", func() error { _, err := get(c.probe, "/connected"); return err })
	return stop
}

// get asks a server of plain HTTP, with a connection of its own.
func get(address, path string) (string, error) {
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get("http://" + address + path)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK {
		err = errors.Join(err, errors.New(answer.Status))
	}
	return string(body), err
}

// says is a server that answers with a text.
func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })
}

func TestCallback(t *testing.T) {
	c := start(t, "garden", "hooks", "nobody")
	garden := httptest.NewServer(says(strings.Repeat("garden", 100_000)))
	defer garden.Close()
	servers := &Servers{}
	servers.Forward("garden", garden.Listener.Addr().String())
	hooks, err := servers.Listen("hooks")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = (&http.Server{Handler: says("hooks"), ReadHeaderTimeout: time.Minute}).Serve(hooks) }()

	t.Run("GLT-22 without the process a program gets no answer, and probes say so", func(t *testing.T) {
		if got, err := get(c.ports["garden"], "/"); err == nil {
			t.Errorf("answer %q", got)
		}
		if _, err := get(c.probe, "/connected"); err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("connected: %v", err)
		}
	})
	stop := connect(t, c, servers)
	t.Run("GLT-22 EXT-17 each port leads to its server", func(t *testing.T) {
		if got, err := get(c.ports["garden"], "/"); err != nil || len(got) != 600_000 {
			t.Errorf("the garden answers %d bytes, %v", len(got), err)
		}
		if got, err := get(c.ports["hooks"], "/"); err != nil || got != "hooks" {
			t.Errorf("the listener in the process answers %q, %v", got, err)
		}
	})
	t.Run("a port leads to no other server than its own", func(t *testing.T) {
		if got, err := get(c.ports["nobody"], "/"); err == nil {
			t.Errorf("answer %q", got)
		}
		if _, err := servers.Dial(garden.Listener.Addr().String()); !errors.Is(err, ErrNotServed) {
			t.Errorf("an address is dialled: %v", err)
		}
	})
	t.Run("one server has a name at a time, and the next one gets it", func(t *testing.T) {
		if _, err := servers.Listen("hooks"); err == nil {
			t.Error("two servers listen")
		}
		_ = hooks.Close()
		if got, err := get(c.ports["hooks"], "/"); err == nil {
			t.Errorf("answer %q of a server that has ended", got)
		}
		next, err := servers.Listen("hooks")
		if err != nil {
			t.Fatal(err)
		}
		defer next.Close()
		go func() { _ = (&http.Server{Handler: says("next"), ReadHeaderTimeout: time.Minute}).Serve(next) }()
		if got, err := get(c.ports["hooks"], "/"); err != nil || got != "next" {
			t.Errorf("answer %q, %v", got, err)
		}
	})
	t.Run("another process takes the place of one that is gone", func(t *testing.T) {
		stop()
		others := &Servers{}
		other := httptest.NewServer(says("other"))
		defer other.Close()
		others.Forward("garden", other.Listener.Addr().String())
		connect(t, c, others)
		testwait.Until(t, "the other one answers", func() error {
			got, err := get(c.ports["garden"], "/")
			if err == nil && got != "other" {
				err = errors.New(got)
			}
			return err
		})
	})
}

func TestFlood(t *testing.T) {
	held, release := make(chan net.Conn, 10), make(chan struct{})
	near, far := net.Pipe()
	defer far.Close()
	p := newPort("garden", func(string) (net.Conn, error) { held <- near; <-release; return nil, errors.New("enough") }, 1, logr.Discard())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.serve(ctx, listener) }()
	first, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	<-held
	t.Run("more connections than a port may have are closed at once", func(t *testing.T) {
		second, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer second.Close()
		if _, err := second.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("error is %v", err)
		}
	})
	close(release)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	_ = near.Close()
}
