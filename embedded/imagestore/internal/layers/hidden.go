package layers

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// hidden keeps files that a layer above replaces, until their layer ends: a hard link in the layer may still need them.
type hidden struct {
	dir   string
	file  *os.File
	end   int64
	parts map[string]part
}

type part struct{ offset, size int64 }

func (h *hidden) keep(name string, content io.Reader) error {
	if h.file == nil {
		file, err := os.CreateTemp(h.dir, "hidden-")
		if err != nil {
			return fmt.Errorf("keep replaced file: %w", err)
		}
		h.file, h.parts = file, map[string]part{}
	}
	size, err := io.Copy(h.file, content)
	if err != nil {
		return fmt.Errorf("keep replaced file: %w", err)
	}
	h.parts[name] = part{h.end, size}
	h.end += size
	return nil
}

// open returns nil if there is no such file.
func (h *hidden) open(name string) io.ReadCloser {
	kept, ok := h.parts[name]
	if !ok {
		return nil
	}
	return io.NopCloser(io.NewSectionReader(h.file, kept.offset, kept.size))
}

func (h *hidden) close() error {
	if h.file == nil {
		return nil
	}
	return errors.Join(h.file.Close(), os.Remove(h.file.Name()))
}
