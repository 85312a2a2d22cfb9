package delta

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/server/v3/lease/leasepb"
)

const (
	typeEvent = 'e'
	typeLease = 'l'
	typeSum   = 's'
)

// magic begins each delta. The digit is the version of the format.
const magic = "gardener-delta-1\n"

// Writer writes a delta.
type Writer struct {
	w    io.Writer
	hash hash.Hash
	err  error
}

// NewWriter writes a delta to w.
func NewWriter(w io.Writer) *Writer {
	out := &Writer{hash: sha256.New()}
	out.w = io.MultiWriter(w, out.hash)
	_, out.err = io.WriteString(out.w, magic)
	return out
}

// Append writes the record of a change to w, which Copy takes later. Changes are in order of their revisions.
func Append(w io.Writer, event *mvccpb.Event) error {
	out := &Writer{w: w}
	return out.message(typeEvent, event)
}

// Copy adds records that Append has written.
func (w *Writer) Copy(records io.Reader) error {
	if w.err == nil {
		_, w.err = io.Copy(w.w, records)
	}
	return w.err
}

// Lease adds the time to live in seconds that was granted to a lease.
func (w *Writer) Lease(id, ttl int64) error {
	return w.message(typeLease, &leasepb.Lease{ID: id, TTL: ttl})
}

// Close ends the delta. It does not close the underlying writer.
func (w *Writer) Close() error {
	sum := w.hash.Sum(nil)
	w.record(typeSum, sum)
	return w.err
}

func (w *Writer) message(kind byte, message interface{ Marshal() ([]byte, error) }) error {
	content, err := message.Marshal()
	if err != nil {
		return err
	}
	w.record(kind, content)
	return w.err
}

func (w *Writer) record(kind byte, content []byte) {
	head := binary.AppendUvarint([]byte{kind}, uint64(len(content)))
	for _, part := range [][]byte{head, content} {
		if w.err == nil {
			_, w.err = w.w.Write(part)
		}
	}
}
