package etcd

import (
	"context"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/etcdserver"
)

const (
	// unmapBytes is by how much the database grows until its pages are unmapped again.
	unmapBytes = 16 << 20
	// unmapTicks is how many looks may pass until then if it does not grow.
	unmapTicks = 60
)

// pages unmaps the pages of the database of a member. The file stays in the cache of the system, which takes these pages
// back when it needs memory. bbolt maps the whole file, and each page that is read or written beside others becomes part of the
// memory of this process: a byte for each stored byte.
type pages struct {
	size  int64 // of the database, when its pages were unmapped
	ticks int   // since then
}

// due reports whether the pages of a database of this size are to be unmapped now.
func (p *pages) due(size int64) bool {
	if p.ticks++; p.ticks < unmapTicks && max(size-p.size, p.size-size) < unmapBytes {
		return false
	}
	*p = pages{size: size}
	return true
}

// unmap unmaps the pages of the database. It does so as a task of the member, which does not close the database before it ends, and in
// a transaction, in which the database keeps its place: whatever is in that place later must not lose its pages.
func (i inside) unmap(ctx context.Context, dir string) (err error) {
	path, err := filepath.EvalSymlinks(filepath.Join(dir, "member", "snap", "db"))
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	i.server.GoAttach(func() {
		tx := i.server.Backend().ReadTx()
		tx.RLock()
		defer tx.RUnlock()
		done <- unmapFile(path)
	})
	select {
	case err := <-done:
		return err
	case <-i.server.StoppingNotify():
		return nil
	case <-ctx.Done():
		return nil
	}
}

// unmap unmaps the pages of the database if they are due.
func (s *Server) unmap(ctx context.Context, server *etcdserver.EtcdServer) error {
	if !s.pages.due(s.Usage().Size) {
		return nil
	}
	return inside{server: server}.unmap(ctx, s.config.DataDir)
}
