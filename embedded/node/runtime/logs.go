package runtime

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// maxLine is the longest piece of output in one record of a log; longer lines become several, marked as partial.
const maxLine = 16 << 10

// logFile is a container's log in the CRI format: time, stream, F or P (partial), content. A failing disk loses lines;
// it never stops the container.
type logFile struct {
	path string // empty: nothing is kept

	mu        sync.Mutex
	file      *os.File // nil once closed
	buffer    []byte
	listeners map[*listener]bool
}

func openLog(path string) (*logFile, error) {
	l := &logFile{path: path, listeners: map[*listener]bool{}}
	if path == "" {
		return l, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create log directory: %w", err)
	}
	return l, l.reopen()
}

// reopen goes on at the log's path, which is a new file after rotation.
func (l *logFile) reopen() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		return nil
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open container log: %w", err)
	}
	if l.file != nil {
		_ = l.file.Close()
	}
	l.file = file
	return nil
}

func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
	for listener := range l.listeners {
		close(listener.chunks)
	}
	l.listeners = nil
}

func (l *logFile) write(stream string, content []byte, partial bool) {
	tag := " F "
	if partial {
		tag = " P "
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return
	}
	line := time.Now().AppendFormat(l.buffer[:0], time.RFC3339Nano)
	line = append(append(append(line, ' '), stream...), tag...)
	line = append(append(line, content...), '\n')
	_, _ = l.file.Write(line)
	l.buffer = line
}

// listener gets a copy of the output while it is attached. A slow one misses chunks.
type listener struct {
	chunks chan chunk
}

type chunk struct {
	stream string
	data   []byte
}

func (l *logFile) attach() *listener {
	a := &listener{chunks: make(chan chunk, 256)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listeners == nil {
		close(a.chunks)
	} else {
		l.listeners[a] = true
	}
	return a
}

func (l *logFile) detach(a *listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.listeners, a)
}

func (l *logFile) copyToListeners(stream string, data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for a := range l.listeners {
		select {
		case a.chunks <- chunk{stream: stream, data: bytes.Clone(data)}:
		default:
		}
	}
}

// stream is one output of the process: hand it to exec.Cmd, which copies a pipe into it.
func (l *logFile) stream(name string) *logStream { return &logStream{log: l, name: name} }

type logStream struct {
	log  *logFile
	name string
}

// Write logs complete lines, and the rest as one without an end; it is for texts of this package, not for pipes.
func (s *logStream) Write(data []byte) (int, error) {
	_, err := s.ReadFrom(bytes.NewReader(data))
	return len(data), err
}

// ReadFrom reads until the end, line by line.
func (s *logStream) ReadFrom(from io.Reader) (int64, error) {
	var total int64
	buffer := make([]byte, 0, maxLine)
	for {
		n, err := from.Read(buffer[len(buffer):cap(buffer)])
		total += int64(n)
		if n > 0 {
			s.log.copyToListeners(s.name, buffer[len(buffer):len(buffer)+n])
		}
		buffer = s.flush(buffer[:len(buffer)+n])
		if err != nil {
			if len(buffer) > 0 {
				s.log.write(s.name, buffer, true) // the container has not ended the line
			}
			if err == io.EOF {
				err = nil
			}
			return total, err
		}
	}
}

// flush logs what is complete or fills the buffer, and returns the rest at the buffer's start.
func (s *logStream) flush(buffer []byte) []byte {
	rest := buffer
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			break
		}
		s.log.write(s.name, rest[:end], false)
		rest = rest[end+1:]
	}
	if len(rest) == cap(buffer) {
		s.log.write(s.name, rest, true)
		rest = nil
	}
	return buffer[:copy(buffer[:cap(buffer)], rest)]
}
