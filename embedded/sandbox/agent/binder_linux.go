package agent

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// request is a message of the agent inside to the one outside, which makes mounts. Exactly one field is set.
type request struct {
	Bind   *wire.Bind `json:"bind,omitempty"`
	Unbind string     `json:"unbind,omitempty"`
}

// reply follows each request.
type reply struct {
	Error string `json:"error,omitempty"`
}

// binder asks for mounts.
type binder struct {
	mu   sync.Mutex
	conn wire.Conn
}

// bind shows a source at its name.
func (b *binder) bind(source wire.Bind) error {
	if b == nil {
		return errors.New("a spawner makes no mounts")
	}
	return b.ask(request{Bind: &source})
}

// unbind ends mounts. What cannot be unmounted stays until the pod ends.
func (b *binder) unbind(name string) { _ = b.ask(request{Unbind: name}) }

func (b *binder) ask(what request) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.conn.Send(what); err != nil {
		return err
	}
	var answer reply
	files, err := b.conn.Receive(&answer)
	wire.Close(files)
	if err == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	}
	return err
}

// serveMounts answers requests until the other end is closed.
func serveMounts(conn wire.Conn, mounts string) error {
	defer conn.Close()
	for {
		var asked request
		files, err := conn.Receive(&asked)
		wire.Close(files)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("receive request for mounts: %w", err)
		}
		var answer reply
		switch {
		case asked.Bind != nil:
			if err := bind(*asked.Bind, mounts); err != nil {
				answer.Error = err.Error()
			}
		case asked.Unbind != "":
			unbind(filepath.Join(mounts, filepath.Clean("/"+asked.Unbind)))
		}
		if err := conn.Send(answer); err != nil {
			return fmt.Errorf("answer request for mounts: %w", err)
		}
	}
}
