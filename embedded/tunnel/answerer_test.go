package tunnel

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/go-logr/logr"
	"github.com/hashicorp/yamux"
)

func TestAnswerer(t *testing.T) {
	near, far := net.Pipe()
	session, err := yamux.Client(near, sessionConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	ctx, cancel := context.WithCancel(context.Background())
	up, done := make(chan struct{}), make(chan error, 1)
	refuses := func(string) (net.Conn, error) { return nil, errors.New("not here") }
	go func() {
		done <- Answerer{Dial: refuses, Up: func() { close(up) }, Log: logr.Discard()}.Answer(ctx, far)
	}()
	<-up
	t.Run("a server that opens streams without end gets no more than a bound", func(t *testing.T) {
		for range maxStreams {
			if _, err := session.OpenStream(); err != nil {
				t.Fatal(err)
			}
		}
		more, err := session.OpenStream()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := more.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("the end of the context ends the answers", func(t *testing.T) {
		cancel()
		if err := <-done; err == nil {
			t.Error("it ended without a reason")
		}
		<-session.CloseChan()
	})
}
