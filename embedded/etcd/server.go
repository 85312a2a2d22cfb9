package etcd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver"

	"github.com/gardener-up/gardener-up/embedded/etcd/unborn"
	"github.com/gardener-up/gardener-up/embedded/lifecycle"
)

// Server is one etcd with one member in this process. Any number may run in parallel, each with its own directory.
type Server struct {
	config Config
	runner lifecycle.Runner
	member atomic.Pointer[etcdserver.EtcdServer]
	tended atomic.Bool    // the watchdog has looked once
	closed sync.WaitGroup // listeners of former members
	survey survey

	// Only tend knows these.
	reserve reserve
	pages   pages
}

// New returns an etcd that is not started. Start reports mistakes in config.
func New(config Config) *Server {
	return &Server{config: config, reserve: reserve{dir: config.DataDir}}
}

// Name of the component, taken from the configuration.
func (s *Server) Name() string { return s.config.Name }

// Start begins to start the member in the background.
func (s *Server) Start(ctx context.Context) error {
	ec, err := s.config.embedded()
	if err != nil {
		return fmt.Errorf("configure etcd %q: %w", s.config.Name, err)
	}
	if err := os.MkdirAll(ec.Dir, 0o700); err != nil {
		return fmt.Errorf("make data directory of etcd %q: %w", s.config.Name, err)
	}
	return s.runner.Start(ctx, func(ctx context.Context) error { return s.run(ctx, ec) })
}

// Ready returns nil if the member leads, answers and can store. It asks the member as a client does, so a disk that hangs is
// noticed.
func (s *Server) Ready(ctx context.Context) error {
	if err := s.runner.Running(); err != nil {
		return err
	}
	member := s.member.Load()
	if member == nil {
		return errors.New("opening the data directory")
	}
	if !s.tended.Load() {
		return errors.New("the member has not joined its cluster")
	}
	if member.Leader() == 0 {
		return errors.New("no leader")
	}
	if _, err := member.Range(ctx, &etcdserverpb.RangeRequest{Key: []byte("health")}); err != nil {
		return fmt.Errorf("read a key: %w", err)
	}
	if alarms := member.Alarms(); len(alarms) > 0 {
		return fmt.Errorf("the storage takes no writes (alarm %s): %v", alarms[0].Alarm, s.Usage())
	}
	return nil
}

// Done is closed when the member has ended.
func (s *Server) Done() <-chan struct{} { return s.runner.Done() }

// Err is the reason why the member ended. It is nil while the member runs and after Stop.
func (s *Server) Err() error { return s.runner.Err() }

// Stop shuts the member down cleanly.
func (s *Server) Stop(ctx context.Context) error { return s.runner.Stop(ctx) }

func (s *Server) run(ctx context.Context, ec *embed.Config) error {
	started := make(chan error, 1)
	var etcd *embed.Etcd
	go func() { // opening waits as long as another process holds the lock of the directory
		s.closed.Wait() // else the former member would take away the socket of this one
		discarded, err := unborn.Discard(ec.Dir)
		if discarded {
			s.config.Log.Info("The member was killed before it was part of its cluster, and begins anew")
		}
		if err == nil {
			etcd, err = embed.StartEtcd(ec)
		}
		started <- err
	}()
	select {
	case err := <-started:
		if err != nil {
			return fmt.Errorf("start etcd: %w", err)
		}
	case <-ctx.Done():
		go func() {
			if <-started == nil {
				etcd.Close()
			}
		}()
		return ctx.Err()
	}
	defer s.close(etcd)
	if s.config.Made != nil {
		if err := s.config.Made(etcd.Server.Cluster().ID().String()); err != nil {
			return err
		}
	}
	s.tended.Store(false)
	s.member.Store(etcd.Server)
	defer s.member.Store(nil)
	defer s.watch(ctx, etcd.Server)()

	select {
	case <-ctx.Done():
		return nil
	case err := <-etcd.Err():
		return fmt.Errorf("serve etcd: %w", err)
	case <-etcd.Server.StopNotify():
		return errors.New("the member has stopped")
	}
}

// watch keeps room in the member, and runs what the configuration runs beside it, until the returned function is called.
func (s *Server) watch(ctx context.Context, member *etcdserver.EtcdServer) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() { s.tend(ctx, member) })
	if s.config.Beside != nil {
		watched.Go(func() { s.beside(ctx, member) })
	}
	return func() { cancel(); watched.Wait() }
}

// beside runs what runs beside a member that serves.
func (s *Server) beside(ctx context.Context, member *etcdserver.EtcdServer) {
	select {
	case <-member.ReadyNotify():
	case <-ctx.Done():
		return
	}
	s.config.Beside(ctx)
}

// close ends the member; everything is stored after that. Its gRPC server on a socket then waits some seconds for
// streams to end, which API servers in this process never close. Nobody else needs to wait for that.
func (s *Server) close(etcd *embed.Etcd) {
	if s.config.Socket == "" {
		etcd.Close()
		return
	}
	etcd.Server.Stop()
	s.closed.Go(etcd.Close)
}
