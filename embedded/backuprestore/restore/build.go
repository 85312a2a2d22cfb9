package restore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/compression"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/delta"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// candidate is a database made from a chain.
type candidate struct {
	done     bool
	database string
	revision int64
	chain    snapshot.Chain // what was used
	refused  string         // the damaged snapshot, empty if there is none
	reason   error
}

// build makes a database from a chain, as far as the chain is undamaged. An error means that the store or the disk failed.
func build(ctx context.Context, from *store.Store, chain snapshot.Chain, dir string) (candidate, error) {
	made := candidate{database: filepath.Join(dir, "db"), chain: snapshot.Chain{Full: chain.Full}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return made, err
	}
	if err := fetchFull(ctx, from, chain.Full, made.database); err != nil {
		return made.refuse(chain.Full, err)
	}
	db, err := openDatabase(made.database)
	if err != nil {
		return made.refuse(chain.Full, err)
	}
	defer db.close()
	made.done, made.revision = true, db.revision()
	for _, d := range chain.Deltas {
		file := filepath.Join(dir, "delta")
		if err := fetchDelta(ctx, from, d, file); err != nil {
			return made.refuse(d, err)
		}
		if err := db.apply(file); err != nil {
			made.revision = db.revision()
			return made.refuse(d, err)
		}
		made.chain.Deltas, made.revision = append(made.chain.Deltas, d), db.revision()
	}
	return made, nil
}

// errDamaged marks errors that another snapshot may avoid.
var errDamaged = errors.New("damaged")

func (c candidate) refuse(s snapshot.Snapshot, err error) (candidate, error) {
	if !errors.Is(err, errDamaged) && !errors.Is(err, delta.ErrCorrupt) {
		return c, err
	}
	c.refused, c.reason = s.Key(), err
	return c, nil
}

// chunk is how much of a full snapshot is written at once. Writes of 4 KiB take three times as long, and those of 1 MiB six times: the kernel then
// looks for pieces of memory that large.
const chunk = 128 << 10

// fetchFull writes the database of a full snapshot to a file.
func fetchFull(ctx context.Context, from *store.Store, full snapshot.Snapshot, path string) error {
	return fetch(ctx, from, full, path, copyDatabase)
}

// copyDatabase copies all but the last bytes, which are the SHA-256 of those before: so etcd ends a snapshot.
func copyDatabase(to io.Writer, from io.Reader) error {
	sum := sha256.New()
	buffer := make([]byte, chunk+sha256.Size)
	held := 0
	for {
		n, err := io.ReadFull(from, buffer[held:])
		held += n
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		data := held - sha256.Size
		if data < 0 {
			return errors.New("the database has no sum")
		}
		_, _ = sum.Write(buffer[:data])
		if _, err := to.Write(buffer[:data]); err != nil {
			return err
		}
		held = copy(buffer, buffer[data:held])
		if last && !bytes.Equal(sum.Sum(nil), buffer[:held]) {
			return errors.New("the sum of the database is wrong")
		}
		if last {
			return nil
		}
	}
}

func fetchDelta(ctx context.Context, from *store.Store, d snapshot.Snapshot, path string) error {
	return fetch(ctx, from, d, path, func(file io.Writer, r io.Reader) error {
		return delta.Check(io.TeeReader(r, file))
	})
}

// fetch decrypts and decompresses a snapshot. Errors of the store, of keys and of the file stay as they are, all others mean damage.
func fetch(ctx context.Context, from *store.Store, s snapshot.Snapshot, path string, receive func(io.Writer, io.Reader) error) error {
	keys, keysErr, err := keysFor(from, s)
	if err != nil {
		return err
	}
	stored, err := from.Open(ctx, s)
	if err != nil {
		return err
	}
	defer stored.Close()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	source, sink := &watched{r: stored}, &watched{w: file}
	err = func() error {
		r, err := unpack(source, s, keys)
		if err != nil {
			return err
		}
		defer r.Close()
		return receive(sink, r)
	}()
	if closing := file.Close(); closing != nil {
		return closing
	}
	if failed := errors.Join(source.failed, sink.failed); failed != nil {
		return failed
	}
	if errors.Is(err, encryption.ErrKey) {
		return fmt.Errorf("read %s: %w", s.Key(), errors.Join(err, keysErr)) // an older snapshot must not take its place
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

// keysFor are the keys to read a snapshot. One that is not encrypted needs none, also if those that there are cannot be read. It may do without the keys of the
// source, so why they cannot be read only matters if another key is missing.
func keysFor(from *store.Store, s snapshot.Snapshot) (keys encryption.Keys, ofSource, err error) {
	if !s.Encrypted {
		return encryption.Keys{}, nil, nil
	}
	if keys, err = from.Keys(); err != nil {
		return keys, nil, fmt.Errorf("read %s: %w", s.Key(), err)
	}
	more, ofSource := from.SourceKeys()
	return keys.Also(more), ofSource, nil
}

func unpack(stored io.Reader, s snapshot.Snapshot, keys encryption.Keys) (io.ReadCloser, error) {
	if s.Encrypted {
		var err error
		if stored, err = keys.Reader(stored); err != nil {
			return nil, err
		}
	}
	return compression.Reader(stored, s.Suffix)
}

// watched remembers an error of the source or the sink.
type watched struct {
	r      io.Reader
	w      io.Writer
	failed error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		w.failed = err
	}
	return n, err
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil {
		w.failed = err
	}
	return n, err
}
