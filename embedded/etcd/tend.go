package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/storage/mvcc"
)

// tendInterval is the time between two looks at a member in this process.
const tendInterval = time.Second

// tend removes keys that do not belong to the member, and then keeps room in it until ctx ends.
func (s *Server) tend(ctx context.Context, server *etcdserver.EtcdServer) {
	select {
	case <-server.ReadyNotify():
	case <-ctx.Done():
		return
	}
	here := inside{server: server, usage: s.Usage}
	dog := &watchdog{member: here, log: s.config.Log}
	err := errors.Join(s.reserve.keep(), here.drop(ctx, s), s.unmap(ctx, server))
	if err = errors.Join(err, dog.look(ctx)); err != nil && ctx.Err() == nil {
		s.config.Log.Error(err, "The storage cannot be put in order; will try again", "usage", s.Usage().String())
	}
	s.tended.Store(true)
	for ticker := time.NewTicker(tendInterval); ; {
		select {
		case <-ctx.Done():
			ticker.Stop()
			return
		case <-ticker.C:
		}
		if err := errors.Join(dog.look(ctx), s.takeStock(ctx, server), s.reserve.keep(), s.unmap(ctx, server)); err != nil && ctx.Err() == nil {
			s.config.Log.Error(err, "The storage cannot be kept in order; will try again", "usage", s.Usage().String())
		}
	}
}

// takeStock finds out what takes the room before somebody has to make some.
func (s *Server) takeStock(ctx context.Context, server *etcdserver.EtcdServer) error {
	now := s.Usage()
	if now.percent() < lookShare {
		s.survey.forget()
		return nil
	}
	if !s.survey.due(now) {
		return nil
	}
	return s.survey.look(ctx, server, now)
}

// inside is a member in this process.
type inside struct {
	server *etcdserver.EtcdServer
	usage  func() Usage
}

var _ member = inside{}

func (i inside) observe(context.Context) (observation, error) {
	now := observation{Usage: i.usage(), revision: i.server.KV().Rev(), limit: i.server.Cfg.QuotaBackendBytes}
	for _, alarm := range i.server.Alarms() {
		now.armed = now.armed || alarm.Alarm == etcdserverpb.AlarmType_NOSPACE
	}
	return now, nil
}

func (i inside) compact(ctx context.Context, revision int64) error {
	_, err := i.server.Compact(ctx, &etcdserverpb.CompactionRequest{Revision: revision, Physical: true})
	if err != nil && !errors.Is(err, mvcc.ErrCompacted) { // an API server may have been faster
		return err
	}
	i.server.Backend().ForceCommit()
	i.server.Backend().ForceCommit() // counts the pages that the first one has freed, unless somebody still reads them
	return nil
}

func (i inside) defragment(context.Context) error { return i.server.Backend().Defrag() }

func (i inside) disarm(ctx context.Context) error {
	_, err := i.server.Alarm(ctx, &etcdserverpb.AlarmRequest{
		MemberID: uint64(i.server.MemberID()), Action: etcdserverpb.AlarmRequest_DEACTIVATE, Alarm: etcdserverpb.AlarmType_NOSPACE,
	})
	return err
}

// drop removes all keys that begin with a prefix that the configuration of the etcd drops.
func (i inside) drop(ctx context.Context, s *Server) error {
	for _, prefix := range s.config.Drop {
		begin, end := []byte(prefix), []byte(clientv3.GetPrefixRangeEnd(prefix))
		found, err := i.server.Range(ctx, &etcdserverpb.RangeRequest{Key: begin, RangeEnd: end, CountOnly: true})
		if err == nil && found.Count > 0 {
			_, err = i.server.DeleteRange(ctx, &etcdserverpb.DeleteRangeRequest{Key: begin, RangeEnd: end})
			s.config.Log.Info("Keys that do not belong here are removed", "prefix", prefix, "keys", found.Count)
		}
		if err != nil {
			return fmt.Errorf("remove keys below %s: %w", prefix, err)
		}
	}
	return nil
}
