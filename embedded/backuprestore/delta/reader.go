package delta

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/server/v3/lease/leasepb"
)

// ErrCorrupt means that a delta is damaged.
var ErrCorrupt = errors.New("the delta snapshot is damaged")

// largest bounds a record. etcd takes requests of 1.5 MiB by default, of which one event has a part.
const largest = 256 << 20

// Contents are the functions that Read calls for the records of a delta. Records with a nil function are skipped.
type Contents struct {
	Event func(*mvccpb.Event) error
	Lease func(id, ttl int64) error
}

// Read calls the functions for all records in order, and checks the sum at the end. The functions may see records of a damaged
// delta. So either check the same delta before, or make sure that the work of the functions can be undone.
func Read(r io.Reader, contents Contents) error {
	in := &reader{r: bufio.NewReader(r), hash: sha256.New()}
	if head, err := in.take(len(magic)); err != nil || string(head) != magic {
		return corrupt("it does not begin as one", err)
	}
	for {
		sum := in.hash.Sum(nil)
		kind, content, err := in.record()
		if err != nil {
			return corrupt("a record cannot be read", err)
		}
		if kind == typeSum {
			if !bytes.Equal(sum, content) {
				return corrupt("its sum is wrong", nil)
			}
			if _, err := in.r.ReadByte(); !errors.Is(err, io.EOF) {
				return corrupt("it does not end at its sum", err)
			}
			return nil
		}
		if err := contents.handle(kind, content); err != nil {
			return err
		}
	}
}

// Check reads a whole delta and returns an error if the delta is damaged.
func Check(r io.Reader) error { return Read(r, Contents{}) }

func (c Contents) handle(kind byte, content []byte) error {
	switch kind {
	case typeEvent:
		event := &mvccpb.Event{}
		if err := event.Unmarshal(content); err != nil || event.Kv == nil {
			return corrupt("an event cannot be read", err)
		}
		if c.Event != nil {
			return c.Event(event)
		}
	case typeLease:
		lease := &leasepb.Lease{}
		if err := lease.Unmarshal(content); err != nil {
			return corrupt("a lease cannot be read", err)
		}
		if c.Lease != nil {
			return c.Lease(lease.ID, lease.TTL)
		}
	default:
		return corrupt(fmt.Sprintf("record type %q is unknown", kind), nil)
	}
	return nil
}

func corrupt(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrCorrupt, what, err)
	}
	return fmt.Errorf("%w: %s", ErrCorrupt, what)
}

type reader struct {
	r    *bufio.Reader
	hash hash.Hash
}

func (r *reader) take(n int) ([]byte, error) {
	content := &bytes.Buffer{} // grows with what is really there
	if _, err := io.CopyN(content, r.r, int64(n)); err != nil {
		return nil, err
	}
	_, _ = r.hash.Write(content.Bytes())
	return content.Bytes(), nil
}

func (r *reader) record() (byte, []byte, error) {
	kind, err := r.r.ReadByte()
	if err != nil {
		return 0, nil, err
	}
	size, err := binary.ReadUvarint(r.r)
	if err != nil {
		return 0, nil, err
	}
	if size > largest {
		return 0, nil, fmt.Errorf("%d bytes are too many", size)
	}
	_, _ = r.hash.Write(binary.AppendUvarint([]byte{kind}, size))
	content, err := r.take(int(size))
	return kind, content, err
}
