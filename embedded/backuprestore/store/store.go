// Package store keeps the snapshots of one etcd in a bucket: a directory, or a bucket in the object store of a cloud.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// Store holds the snapshots of one etcd. It is safe for concurrent use.
type Store struct {
	bucket *blob.Bucket
	prefix string
	// settle makes an object durable; nil where the bucket itself does.
	settle func(key string) error
	config Config
}

// Close closes the bucket.
func (s *Store) Close() error { return s.bucket.Close() }

func (s *Store) key(name string) string { return path.Join(s.prefix, name) }

// listAttempts bounds how often a listing begins again.
const listAttempts = 100

// List returns all snapshots in order of their revisions, the newest last. It skips other objects. The driver for directories fails if a file that somebody writes
// gets its name between two looks at it, so the listing begins again then.
func (s *Store) List(ctx context.Context) ([]snapshot.Snapshot, error) {
	for attempt := 1; ; attempt++ {
		all, err := s.list(ctx)
		if gcerrors.Code(err) != gcerrors.NotFound || attempt == listAttempts {
			return all, err
		}
	}
}

func (s *Store) list(ctx context.Context) ([]snapshot.Snapshot, error) {
	var all []snapshot.Snapshot
	objects := s.bucket.List(&blob.ListOptions{Prefix: s.key(snapshot.Layout) + "/"})
	for {
		object, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			snapshot.Sort(all)
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list snapshots: %w", err)
		}
		if s, ok := snapshot.Parse(path.Join(snapshot.Layout, path.Base(object.Key))); ok {
			s.Size = object.Size
			all = append(all, s)
		}
	}
}

// Write stores the content that fill writes, and returns the number of bytes stored. If fill fails, nothing is stored.
func (s *Store) Write(ctx context.Context, as snapshot.Snapshot, fill func(io.Writer) error) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // before Close, it makes Close discard the object
	key := s.key(as.Key())
	w, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{ContentType: "application/octet-stream", BufferSize: writeBuffer, MaxConcurrency: 1})
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", as.Key(), err)
	}
	counted := &counter{w: w}
	if err := fill(counted); err != nil {
		cancel()
		_ = w.Close()
		return 0, fmt.Errorf("write %s: %w", as.Key(), err)
	}
	if err := w.Close(); err != nil {
		return 0, fmt.Errorf("write %s: %w", as.Key(), err)
	}
	if s.settle != nil {
		if err := s.settle(key); err != nil {
			return 0, fmt.Errorf("write %s: %w", as.Key(), err)
		}
	}
	return counted.n, nil
}

// writeBuffer bounds the memory for an upload, of which one part is sent at a time. Clouds want parts of at least 5 MiB.
const writeBuffer = 5 << 20

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Open reads a snapshot as it is stored. The caller closes it.
func (s *Store) Open(ctx context.Context, what snapshot.Snapshot) (io.ReadCloser, error) {
	r, err := s.bucket.NewReader(ctx, s.key(what.Key()), nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what.Key(), err)
	}
	return r, nil
}

// Delete removes a snapshot. The snapshot need not exist.
func (s *Store) Delete(ctx context.Context, what snapshot.Snapshot) error {
	if err := s.bucket.Delete(ctx, s.key(what.Key())); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return fmt.Errorf("delete %s: %w", what.Key(), err)
	}
	return nil
}
