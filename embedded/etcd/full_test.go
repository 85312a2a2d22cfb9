package etcd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/etcdserver"
	etcderrors "go.etcd.io/etcd/server/v3/etcdserver/errors"

	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// small is the configuration of an etcd that is full soon.
func small(t *testing.T) Config {
	t.Helper()
	pki, err := testpki.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Name: "small", DataDir: filepath.Join(t.TempDir(), "etcd"), ClientPort: testport.Free(t), Log: logr.Discard(), Quota: MinQuota,
		CAFile: pki.Path("ca.crt"), CertFile: pki.Path("server.crt"), KeyFile: pki.Path("server.key"),
	}
}

// start starts an etcd, waits until it is ready and stops it when the test ends.
func start(t *testing.T, config Config) *Server {
	t.Helper()
	s := New(config)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	testwait.Until(t, "ready", func() error { return s.Ready(t.Context()) })
	return s
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func put(ctx context.Context, member *etcdserver.EtcdServer, key string, size int) error {
	_, err := member.Put(ctx, &etcdserverpb.PutRequest{Key: []byte(key), Value: []byte(strings.Repeat("x", size))})
	return err
}

func remove(t *testing.T, member *etcdserver.EtcdServer, from, to string) {
	t.Helper()
	if _, err := member.DeleteRange(t.Context(), &etcdserverpb.DeleteRangeRequest{Key: []byte(from), RangeEnd: []byte(to)}); err != nil {
		t.Fatalf("delete: %v", err)
	}
}

const big = 512 << 10

// compacting is how long a busy machine may take to look at the storage again and to make it smaller.
const compacting = 3 * compactWhenWarned

// fill writes keys of a namespace until enough says so.
func fill(t *testing.T, s *Server, namespace string, enough func(error) bool) {
	t.Helper()
	for n := range 500 {
		err := put(t.Context(), s.member.Load(), fmt.Sprintf("/registry/configmaps/%s/%03d", namespace, n), big)
		if enough(err) {
			return
		}
		if err != nil {
			t.Fatalf("put: %v", err)
		}
		s.member.Load().Backend().ForceCommit() // the usage is known after that
	}
	t.Fatal("500 values do not suffice")
}

func TestFullEtcd(t *testing.T) {
	config := small(t)
	s := start(t, config)
	if err := s.Full("garden-dev", 1); err != nil {
		t.Fatalf("an empty etcd: %v", err)
	}
	if text, refuses := s.Warning(); text != "" || refuses {
		t.Errorf("warning of an empty etcd: %q", text)
	}

	t.Run("APP-5 it warns from 60 % on and is full for users from 80 % on", func(t *testing.T) {
		warned := false
		fill(t, s, "garden-dev", func(error) bool {
			text, refuses := s.Warning()
			warned = warned || text != "" && !refuses
			return refuses
		})
		if !warned {
			t.Error("there was no warning before it was full")
		}
		if u := s.Usage(); u.percent() > 95 {
			t.Errorf("it was found full at %d %%", u.percent())
		}
		extra := 0
		testwait.For(t, compacting, "full of configmaps", func() error {
			err := s.Full("garden-dev", 1)
			if err == nil || strings.Contains(err.Error(), "each namespace may take") { // a compaction has made some room
				extra++
				if err := put(t.Context(), s.member.Load(), fmt.Sprintf("/registry/configmaps/garden-dev/extra-%d", extra), big); err != nil {
					t.Fatal(err)
				}
				s.member.Load().Backend().ForceCommit()
			}
			if err == nil || !strings.Contains(err.Error(), `users may fill 80 %; what takes most in namespace "garden-dev": configmaps (`) {
				return fmt.Errorf("full = %v", err)
			}
			return nil
		})
		if err := s.Full("garden-other", 1); err == nil || strings.Contains(err.Error(), "garden-dev") {
			t.Errorf("users of another namespace are told %v", err)
		}
		if text, _ := s.Warning(); !strings.Contains(text, "configmaps/garden-dev (") {
			t.Errorf("operators are told %q", text)
		}
	})
	t.Run("APP-5 others can still write", func(t *testing.T) {
		if err := put(t.Context(), s.member.Load(), "/registry/leases/kube-system/scheduler", 100); err != nil {
			t.Error(err)
		}
		if err := s.Ready(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("APP-5 it heals when something is deleted", func(t *testing.T) {
		remove(t, s.member.Load(), "/registry/configmaps/garden-dev/", "/registry/configmaps/garden-dev0")
		testwait.For(t, compacting, "healed", func() error {
			if text, _ := s.Warning(); text != "" {
				return errors.New(text)
			}
			return s.Full("garden-dev", 1)
		})
	})
	t.Run("APP-5 an etcd that stores nothing more heals when something is deleted", func(t *testing.T) {
		fill(t, s, "garden-dev", func(err error) bool { return errors.Is(err, etcderrors.ErrNoSpace) })
		if err := s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "NOSPACE") {
			t.Errorf("Ready = %v", err)
		}
		remove(t, s.member.Load(), "/registry/configmaps/garden-dev/", "/registry/configmaps/garden-dev0")
		testwait.For(t, compacting, "healed", func() error {
			return errors.Join(s.Ready(t.Context()), put(t.Context(), s.member.Load(), "/registry/leases/kube-system/scheduler", 100))
		})
		// The watchdog may have defragmented it before the deletion, and a database that is smaller than this may wait for a time of rest.
		testwait.For(t, compacting, "smaller on disk", func() error {
			if u := s.Usage(); u.Size > u.Quota*sizeShare/100 {
				return fmt.Errorf("the database still has %s", Bytes(u.Size))
			}
			return nil
		})
	})
	t.Run("APP-5 an etcd that stores nothing more starts again and stores", func(t *testing.T) {
		fill(t, s, "garden-dev", func(err error) bool { return errors.Is(err, etcderrors.ErrNoSpace) })
		stop(t, s)
		again := start(t, config)
		if err := put(t.Context(), again.member.Load(), "/registry/leases/kube-system/scheduler", 100); err != nil {
			t.Errorf("put: %v", err)
		}
		extra := 0
		testwait.For(t, compacting, "users may not go on filling it", func() error { // once it has been measured
			if again.Full("garden-dev", 1) != nil {
				return nil
			}
			extra++ // a compaction on a slow machine has made some room
			err := put(t.Context(), again.member.Load(), fmt.Sprintf("/registry/configmaps/garden-dev/again-%d", extra), big)
			if err != nil && !errors.Is(err, etcderrors.ErrNoSpace) {
				t.Fatal(err)
			}
			again.member.Load().Backend().ForceCommit()
			return errors.New("they may")
		})
	})
}

func TestHistoryDoesNotFillEtcd(t *testing.T) {
	config := small(t)
	config.Quota = 2 * MinQuota
	s := start(t, config)
	for range 6 * MinQuota / big {
		if err := s.Full("a", 1); err != nil { // as a user whose next try succeeds
			testwait.For(t, compacting, "compacted", func() error { return s.Full("a", 1) })
		}
		if err := put(t.Context(), s.member.Load(), "/registry/configmaps/a/same", big); err != nil {
			t.Fatalf("put: %v", err)
		}
		time.Sleep(20 * time.Millisecond) // the pace of users: the history is compacted once a second
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// An etcd takes over the data of a former one that had another name, without the keys of others.
func TestDroppedPrefix(t *testing.T) {
	config := small(t)
	config.Name = "former"
	s := start(t, config)
	for _, key := range []string{"/registry-garden/a", "/registry-seed/a", "/registry-seed/b"} {
		if err := put(t.Context(), s.member.Load(), key, 10); err != nil {
			t.Fatal(err)
		}
	}
	stop(t, s)
	config.Name, config.ClientPort, config.Drop = "small", small(t).ClientPort, []string{"/registry-seed/"}
	s = start(t, config)
	response, err := s.member.Load().Range(t.Context(), &etcdserverpb.RangeRequest{Key: []byte{0}, RangeEnd: []byte{0}})
	if err != nil || len(response.Kvs) != 1 || string(response.Kvs[0].Key) != "/registry-garden/a" {
		t.Errorf("left are %v, %v", response, err)
	}
}

func TestHungEtcdIsNotReady(t *testing.T) {
	s := start(t, small(t))
	tx := s.member.Load().Backend().BatchTx()
	tx.Lock() // as a disk that hangs: nothing that is written gets through
	go func() { _ = put(context.Background(), s.member.Load(), "/key", 1) }()
	testwait.Until(t, "hanging", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if s.Ready(ctx) == nil {
			return errors.New("it is ready")
		}
		return nil
	})
	tx.Unlock()
	testwait.Until(t, "ready", func() error { return s.Ready(t.Context()) })
}
