package snapshotter

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/delta"
)

// spool collects the changes for the next delta in a file, because they would take 100 MiB of memory. A file of a former process
// is of no use: changes since the last delta are watched again.
type spool struct {
	file   *os.File
	buffer *bufio.Writer
	size   int64 // bytes of changes
	// first and last are revisions; 0 if there are none.
	first, last int64
	leases      map[int64]bool
}

func newSpool(dir string) (*spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make directory of the spool: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "delta"), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make spool: %w", err)
	}
	s := &spool{file: file}
	return s, s.reset()
}

func (s *spool) reset() error {
	if err := s.file.Truncate(0); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	s.buffer = bufio.NewWriter(s.file)
	s.size, s.first, s.last, s.leases = 0, 0, 0, map[int64]bool{}
	return nil
}

func (s *spool) add(event *clientv3.Event) error {
	if err := delta.Append(s.buffer, (*mvccpb.Event)(event)); err != nil {
		return fmt.Errorf("write spool: %w", err)
	}
	s.size += int64((*mvccpb.Event)(event).Size())
	if s.first == 0 {
		s.first = event.Kv.ModRevision
	}
	s.last = event.Kv.ModRevision
	if event.Kv.Lease != 0 {
		s.leases[event.Kv.Lease] = true
	}
	return nil
}

// writeTo writes the delta. The spool stays as it is, and more changes may follow.
func (s *spool) writeTo(w io.Writer, leases map[int64]int64) error {
	if err := s.buffer.Flush(); err != nil {
		return fmt.Errorf("write spool: %w", err)
	}
	end, err := s.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	out := delta.NewWriter(w)
	if err := out.Copy(io.NewSectionReader(s.file, 0, end)); err != nil {
		return err
	}
	for id, ttl := range leases {
		if err := out.Lease(id, ttl); err != nil {
			return err
		}
	}
	return out.Close()
}

func (s *spool) close() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}
