package pod

import (
	"io"
	"sync"
)

// tailSize is how much of the output of a command is kept for errors, in bytes.
const tailSize = 4 << 10

// tail keeps the end of what is written to it. Its methods may be called concurrently.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, data...)
	if surplus := len(t.data) - tailSize; surplus > 0 {
		t.data = t.data[surplus:]
	}
	return len(data), nil
}

func (t *tail) ReadFrom(from io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{t}, from) // hides this method from Copy
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.data)
}
