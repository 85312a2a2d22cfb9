package tunnel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/hashicorp/yamux"
)

const (
	// dialTimeout bounds how long the agent tries to reach a target, answerTimeout how long the server waits for the result.
	dialTimeout   = 10 * time.Second
	answerTimeout = 15 * time.Second
	// keepAlive is how often both ends ask whether the other one is still there.
	keepAlive = 10 * time.Second
	// maxText bounds the address and the error message at the beginning of a stream.
	maxText = 1024
	// maxStreams bounds the connections at a time, so that callers cannot take all files and memory of an agent's process.
	maxStreams = 4096
)

// Results at the beginning of the agent's side of a stream.
const (
	resultConnected = 0
	resultRefused   = 1 // followed by a text
)

// ErrUnreachable is in errors about targets that the agent cannot reach.
var ErrUnreachable = errors.New("not reachable at the other end of the tunnel")

// sessionConfig is the same at both ends.
func sessionConfig() *yamux.Config {
	config := yamux.DefaultConfig()
	config.KeepAliveInterval = keepAlive
	config.ConnectionWriteTimeout = keepAlive
	config.MaxStreamWindowSize = 1 << 20
	config.LogOutput = io.Discard // what ends a session is returned to its user
	return config
}

// open asks the agent for a connection to host:port.
func open(session *yamux.Session, address string) (net.Conn, error) {
	stream, err := session.OpenStream()
	if err != nil {
		return nil, fmt.Errorf("open stream in the tunnel: %w", err)
	}
	if err := handshake(stream, address); err != nil {
		_ = stream.Close()
		return nil, err
	}
	return stream, nil
}

func handshake(stream net.Conn, address string) error {
	_ = stream.SetDeadline(time.Now().Add(answerTimeout))
	if err := writeText(stream, address); err != nil {
		return fmt.Errorf("ask for %s through the tunnel: %w", address, err)
	}
	var result [1]byte
	if _, err := io.ReadFull(stream, result[:]); err != nil {
		return fmt.Errorf("ask for %s through the tunnel: %w", address, err)
	}
	if result[0] != resultConnected {
		reason, err := readText(stream)
		if err != nil {
			return fmt.Errorf("ask for %s through the tunnel: %w", address, err)
		}
		return fmt.Errorf("%s is %w: %s", address, ErrUnreachable, reason)
	}
	return stream.SetDeadline(time.Time{})
}

// accept serves one stream at the agent: it reads where to, dials, and returns both connections.
func accept(stream net.Conn, dial func(address string) (net.Conn, error)) (net.Conn, error) {
	_ = stream.SetDeadline(time.Now().Add(answerTimeout))
	address, err := readText(stream)
	if err != nil {
		return nil, fmt.Errorf("read target of a stream: %w", err)
	}
	target, err := dial(address)
	if err != nil {
		_, writeErr := stream.Write([]byte{resultRefused})
		return nil, errors.Join(err, writeErr, writeText(stream, err.Error()))
	}
	if _, err := stream.Write([]byte{resultConnected}); err != nil {
		return nil, errors.Join(fmt.Errorf("answer a stream: %w", err), target.Close())
	}
	return target, stream.SetDeadline(time.Time{})
}

func writeText(w io.Writer, text string) error {
	if len(text) > maxText {
		text = text[:maxText]
	}
	_, err := w.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...))
	return err
}

func readText(r io.Reader) (string, error) {
	var length [2]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return "", err
	}
	size := binary.BigEndian.Uint16(length[:])
	if size > maxText {
		return "", fmt.Errorf("a text of %d bytes is longer than %d", size, maxText)
	}
	text := make([]byte, size)
	_, err := io.ReadFull(r, text)
	return string(text), err
}
