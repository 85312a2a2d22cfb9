package backup

import (
	"bytes"
	"io"
	"io/fs"

	"github.com/gardener-up/gardener-up/appliance/archive"
)

// sink takes the entries of an archive: archive.Writer, or kept.
type sink interface {
	Dir(path string, mode fs.FileMode, owner archive.Owner) error
	Link(path, target string, owner archive.Owner) error
	File(path string, mode fs.FileMode, owner archive.Owner, size int64, content io.Reader) (short bool, err error)
}

var _, _ sink = (*archive.Writer)(nil), (*kept)(nil)

// kept holds entries in memory until the archive is written. It is for what is small and may change while a slow place takes the archive.
type kept struct{ entries []func(sink) error }

// Dir implements sink.
func (k *kept) Dir(path string, mode fs.FileMode, owner archive.Owner) error {
	k.entries = append(k.entries, func(to sink) error { return to.Dir(path, mode, owner) })
	return nil
}

// Link implements sink.
func (k *kept) Link(path, target string, owner archive.Owner) error {
	k.entries = append(k.entries, func(to sink) error { return to.Link(path, target, owner) })
	return nil
}

// File implements sink. It reads the content.
func (k *kept) File(path string, mode fs.FileMode, owner archive.Owner, size int64, content io.Reader) (short bool, err error) {
	text, err := io.ReadAll(io.LimitReader(content, size))
	if err != nil {
		return false, err
	}
	k.entries = append(k.entries, func(to sink) error {
		_, err := to.File(path, mode, owner, size, bytes.NewReader(text))
		return err
	})
	return int64(len(text)) < size, nil
}

// addTo adds the entries in their order.
func (k *kept) addTo(to sink) error {
	for _, add := range k.entries {
		if err := add(to); err != nil {
			return err
		}
	}
	return nil
}
