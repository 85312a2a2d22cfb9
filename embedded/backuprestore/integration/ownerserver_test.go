package integration

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/miekg/dns"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// resting is a listener of a name server. While it rests, it ends connections as soon as they are made, as the way to a landscape that does not run.
type resting struct {
	net.Listener
	rests atomic.Bool
	asked *atomic.Int64
}

func (l *resting) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil || !l.rests.Load() {
			return conn, err
		}
		l.asked.Add(1)
		_ = conn.Close()
	}
}

// farRecord is the record on a name server that may rest. Its value is earth.
func farRecord(t *testing.T) (*record, *resting) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r := &record{address: listener.Addr().String()}
	r.value.Store("earth")
	l := &resting{Listener: listener, asked: &r.asked}
	serveDNS(t, &dns.Server{Listener: l, Handler: r}, l)
	return r, l
}

// ownedFar makes a member whose owner is earth, by a name server that may rest.
func ownedFar(t *testing.T) (*member, *record, *resting) {
	t.Helper()
	r, l := farRecord(t)
	m := newMember(t)
	m.flags = append(m.stored(), "--delta-period=1h", "--owner-name=owner.sun.sky.internal", "--owner-id=earth", "--owner-server="+r.address,
		"--owner-check-interval=50ms", "--owner-check-timeout=200ms")
	return m, r, l
}

// TestOwnerAtRest ends and starts an etcd, gives it away and back, while the name server that knows its owner answers and rests.
func TestOwnerAtRest(t *testing.T) {
	m, r, server := ownedFar(t)
	var want map[string]string
	restart := func() {
		m.end(syscall.SIGKILL)
		m.launch()
	}

	t.Run("MIG-14 an etcd that has never heard of its owner waits for the first answer", func(t *testing.T) {
		m := m.in(t)
		server.rests.Store(true)
		m.launch()
		r.askedAgain(m)
		m.stops()
		if _, err := os.Stat(m.data()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it has data: %v", err)
		}
		server.rests.Store(false)
		m.serves()
		want = m.write("one")
	})
	t.Run("MIG-14 it goes on and starts again while the landscape and its name server do not run", func(t *testing.T) {
		m := m.in(t)
		server.rests.Store(true)
		r.askedAgain(m)
		m.serves()
		m.has(want)
		restart()
		m.serves()
		m.has(want)
		want = m.write("two")
		r.askedAgain(m)
		m.serves()
		if finals := m.finals(); len(finals) > 0 {
			t.Errorf("it has final snapshots: %+v", finals)
		}
	})
	t.Run("MIG-14 MIG-19 it stops as soon as the name server is back and names another owner, with a final snapshot", func(t *testing.T) {
		m := m.in(t)
		r.becomes("moon")
		server.rests.Store(false)
		m.stops()
		m.final(1)
	})
	t.Run("MIG-14 it does not begin again while the name server rests", func(t *testing.T) {
		m := m.in(t)
		server.rests.Store(true)
		restart()
		r.askedAgain(m)
		m.stops()
		m.final(1)
	})
	t.Run("MIG-14 it serves again when it is given back, and that is remembered, too", func(t *testing.T) {
		m := m.in(t)
		r.becomes("earth")
		server.rests.Store(false)
		m.serves()
		m.has(want)
		server.rests.Store(true)
		restart()
		m.serves()
		want = m.write("three")
	})
	t.Run("MIG-14 a process that was paused while its etcd was given away stops when it goes on", func(t *testing.T) {
		m := m.in(t)
		server.rests.Store(false)
		r.askedAgain(m)
		must(t, m.process.Process.Signal(syscall.SIGSTOP))
		r.becomes("moon")
		must(t, m.process.Process.Signal(syscall.SIGCONT))
		m.stops()
		m.final(2)
		r.becomes("earth")
		m.serves()
		m.has(want)
	})
	t.Run("MIG-14 MIG-22 a final snapshot that could not be taken before is taken after a restart, also while the name server rests", func(t *testing.T) {
		m := m.in(t)
		want = m.write("four")
		bucket, away := filepath.Join(m.backups, "bucket"), filepath.Join(t.TempDir(), "bucket")
		must(t, atomicfile.Move(bucket, away))
		must(t, os.WriteFile(bucket, nil, 0o600)) // as root ignores permissions
		r.becomes("moon")
		m.stops()
		server.rests.Store(true)
		m.end(syscall.SIGKILL)
		must(t, os.Remove(bucket))
		must(t, atomicfile.Move(away, bucket))
		m.launch()
		m.final(3)
		m.stops()
		r.becomes("earth")
		server.rests.Store(false)
		m.serves()
		m.has(want)
	})
	t.Run("MIG-14 MIG-23 a name server that knows no owner ends it, other than one that rests", func(t *testing.T) {
		m := m.in(t)
		before := len(m.finals())
		r.becomes("")
		m.stops()
		r.askedAgain(m)
		if got := len(m.finals()); got != before {
			t.Errorf("there are %d final snapshots instead of %d", got, before)
		}
		server.rests.Store(true)
		restart()
		r.askedAgain(m)
		m.stops()
		if got := len(m.finals()); got != before {
			t.Errorf("there are %d final snapshots instead of %d after a restart", got, before)
		}
		r.becomes("earth")
		server.rests.Store(false)
		m.serves()
		server.rests.Store(true)
		restart()
		m.serves()
	})
	t.Run("MIG-14 MIG-23 an etcd that is told at its start that there is no owner stays stopped when the name server rests", func(t *testing.T) {
		m := m.in(t)
		r.becomes("")
		server.rests.Store(false)
		m.stops()
		r.becomes("earth")
		m.serves()
		m.end(syscall.SIGKILL)
		r.becomes("")
		m.launch()
		m.eventually("the etcd remembers it", func() error { _, err := os.Stat(filepath.Join(m.dir, "unowned")); return err })
		server.rests.Store(true)
		restart()
		r.askedAgain(m)
		m.stops()
		r.becomes("earth")
		server.rests.Store(false)
		m.serves()
	})
	t.Run("MIG-14 an etcd that is told at its start that it has another owner stays stopped when the name server rests", func(t *testing.T) {
		m := m.in(t)
		m.end(syscall.SIGKILL)
		r.becomes("moon")
		m.launch()
		m.final(4)
		server.rests.Store(true)
		for range 2 {
			restart()
			r.askedAgain(m)
			m.stops()
		}
	})
	t.Run("MIG-14 an etcd whose volume was lost meanwhile waits for an answer", func(t *testing.T) {
		m := m.in(t)
		m.end(syscall.SIGKILL)
		entries, err := os.ReadDir(m.dir)
		must(t, err)
		for _, entry := range entries {
			must(t, os.RemoveAll(filepath.Join(m.dir, entry.Name())))
		}
		m.launch()
		r.askedAgain(m)
		m.stops()
	})
}
