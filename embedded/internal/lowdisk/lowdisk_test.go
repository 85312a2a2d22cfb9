package lowdisk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/gardener-up/gardener-up/embedded/etcd"
	"github.com/gardener-up/gardener-up/embedded/internal/lowdisk"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
	"github.com/gardener-up/gardener-up/embedded/testport"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errUsers, errEverybody = errors.New("users may not write"), errors.New("nobody may write")

// disk of a member, by those who may not write.
type disk struct{ users, everybody bool }

func (d *disk) low(essential bool) error {
	switch {
	case d.everybody:
		return errEverybody
	case d.users && !essential:
		return errUsers
	}
	return nil
}

// etcdUnderTest is an etcd, and a client of it.
type etcdUnderTest struct {
	t      *testing.T
	server *etcd.Server
	dial   func() (*clientv3.Client, error)
	client *clientv3.Client
}

func newEtcd(t *testing.T) *etcdUnderTest {
	t.Helper()
	dir, err := os.MkdirTemp("", "lowdisk") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	pki, err := testpki.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	config := etcd.Config{
		Name: "member", DataDir: filepath.Join(dir, "data"), Socket: filepath.Join(dir, "socket"), ClientPort: testport.Free(t), Log: logr.Discard(),
		CAFile: pki.Path("ca.crt"), CertFile: pki.Path("server.crt"), KeyFile: pki.Path("server.key"),
	}
	e := &etcdUnderTest{t: t, server: etcd.New(config)}
	e.dial = func() (*clientv3.Client, error) {
		return clientv3.New(clientv3.Config{Endpoints: []string{config.SocketEndpoint()}, Logger: zap.NewNop()})
	}
	e.start()
	t.Cleanup(e.stop)
	if e.client, err = e.dial(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.client.Close() })
	return e
}

func (e *etcdUnderTest) start() {
	e.t.Helper()
	if err := e.server.Start(context.Background()); err != nil {
		e.t.Fatal(err)
	}
	testwait.Until(e.t, "the etcd is ready", func() error { return e.server.Ready(e.t.Context()) })
}

func (e *etcdUnderTest) stop() {
	if err := e.server.Stop(context.Background()); err != nil {
		e.t.Error(err)
	}
}

// keys are those of members.
func (e *etcdUnderTest) keys() int64 {
	e.t.Helper()
	found, err := e.client.Get(e.t.Context(), lowdisk.Prefix, clientv3.WithPrefix())
	if err != nil {
		e.t.Fatal(err)
	}
	return found.Count
}

func TestLowDisk(t *testing.T) {
	e := newEtcd(t)
	clock := clocktesting.NewFakePassiveClock(time.Now())
	var disks [3]disk
	var tellers [3]*lowdisk.Teller
	for i := range tellers {
		tellers[i] = &lowdisk.Teller{Member: fmt.Sprint("etcd-main-", i), Low: disks[i].low, Clock: clock}
	}
	tell := func(t *testing.T) {
		t.Helper()
		for _, teller := range tellers {
			if err := teller.Tell(t.Context(), e.client); err != nil {
				t.Fatal(err)
			}
		}
	}
	dialed := 0
	watch := lowdisk.NewWatch(t.Context(), func() (*clientv3.Client, error) {
		if dialed++; dialed == 1 {
			return nil, errors.New("the etcd does not answer yet")
		}
		return e.dial()
	}, logr.Discard())
	knows := func(t *testing.T, users, everybody error) {
		t.Helper()
		testwait.Until(t, "the API server knows what members tell", func() error {
			for essential, want := range map[bool]error{false: users, true: everybody} {
				if got := watch.Low(essential); fmt.Sprint(got) != fmt.Sprint(want) {
					return fmt.Errorf("essential %t: %v, want %w", essential, got, want)
				}
			}
			return nil
		})
	}
	t.Run("APP-5 a member takes back at its start what restored data tell without a lease", func(t *testing.T) {
		if _, err := e.client.Put(t.Context(), lowdisk.Prefix+"etcd-main-1", "users\n"+errUsers.Error()); err != nil {
			t.Fatal(err)
		}
		knows(t, errUsers, nil)
		if tellers[1].Idle() {
			t.Error("it has nothing to do")
		}
		tell(t)
		knows(t, nil, nil)
	})
	for _, step := range []struct {
		name             string
		disks            [3]disk
		users, everybody error // that API servers know
		keys             int64
	}{
		{name: "members with room tell nothing"},
		{name: "one of three is short of room for users", disks: [3]disk{1: {users: true}}, users: errUsers, keys: 1},
		{name: "it is short of room for everybody", disks: [3]disk{1: {users: true, everybody: true}}, users: errEverybody, everybody: errEverybody, keys: 1},
		{name: "two are short of room for users", disks: [3]disk{0: {users: true}, 1: {users: true}}, users: errUsers, keys: 2},
		{name: "one of them has room again", disks: [3]disk{0: {users: true}}, users: errUsers, keys: 1},
		{name: "all have room again"},
	} {
		if !t.Run("APP-5 "+step.name, func(t *testing.T) {
			disks = step.disks
			tell(t)
			knows(t, step.users, step.everybody)
			if got := e.keys(); got != step.keys {
				t.Errorf("%d keys, want %d", got, step.keys)
			}
			for i, teller := range tellers {
				if want := !disks[i].users; teller.Idle() != want {
					t.Errorf("member %d is idle: %t, want %t", i, !want, want)
				}
			}
		}) {
			return
		}
	}
	t.Run("APP-5 nothing is written while nothing changes", func(t *testing.T) {
		disks[2].users = true
		tell(t)
		before, err := e.client.Get(t.Context(), "key")
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			clock.SetTime(clock.Now().Add(time.Minute))
			tell(t)
		}
		after, err := e.client.Get(t.Context(), "key")
		if err != nil {
			t.Fatal(err)
		}
		if before.Header.Revision != after.Header.Revision {
			t.Errorf("revisions %d and %d", before.Header.Revision, after.Header.Revision)
		}
	})
	t.Run("APP-5 what a member told is gone some time after its end", func(t *testing.T) {
		leases, err := e.client.Leases(t.Context())
		if err != nil || len(leases.Leases) != 1 {
			t.Fatalf("leases %v, %v", leases, err)
		}
		left, err := e.client.TimeToLive(t.Context(), leases.Leases[0].ID, clientv3.WithAttachedKeys())
		if err != nil || left.GrantedTTL > 60 || len(left.Keys) != 1 {
			t.Fatalf("lease %+v, %v", left, err)
		}
		if _, err := e.client.Revoke(t.Context(), left.ID); err != nil { // as when it expires
			t.Fatal(err)
		}
		knows(t, nil, nil)
	})
	t.Run("APP-5 a member tells it again when its lease is gone", func(t *testing.T) {
		clock.SetTime(clock.Now().Add(time.Minute))
		tell(t)
		knows(t, errUsers, nil)
	})
	t.Run("APP-5 an API server goes on after the etcd has started again", func(t *testing.T) {
		e.stop()
		knows(t, errUsers, nil)
		e.start()
		disks[2].everybody = true
		tell(t)
		knows(t, errEverybody, errEverybody)
	})
}
