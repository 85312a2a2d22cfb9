package integration

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// record is a name server with one TXT record.
type record struct {
	address string
	value   atomic.Value // string; empty if there is no record
	asked   atomic.Int64
}

const recordName = "owner.sun.sky.internal."

func newRecord(t *testing.T) *record {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	r := &record{address: conn.LocalAddr().String()}
	r.value.Store("")
	serveDNS(t, &dns.Server{PacketConn: conn, Handler: r}, conn)
	return r
}

func serveDNS(t *testing.T, server *dns.Server, at io.Closer) {
	done := make(chan error, 1)
	go func() { done <- server.ActivateAndServe() }()
	t.Cleanup(func() {
		_ = at.Close()
		<-done
	})
}

func (r *record) ServeDNS(w dns.ResponseWriter, request *dns.Msg) {
	r.asked.Add(1)
	reply := new(dns.Msg).SetReply(request)
	value := r.value.Load().(string)
	if value == "" || request.Question[0].Name != recordName || request.Question[0].Qtype != dns.TypeTXT {
		reply.Rcode = dns.RcodeNameError
	} else {
		reply.Answer = []dns.RR{&dns.TXT{Hdr: dns.RR_Header{Name: recordName, Rrtype: dns.TypeTXT, Class: dns.ClassINET}, Txt: []string{value}}}
	}
	_ = w.WriteMsg(reply)
}

// becomes changes the record.
func (r *record) becomes(value string) { r.value.Store(value) }

// askedAgain waits until the record as it is now was read several times.
func (r *record) askedAgain(m *member) {
	m.t.Helper()
	last := r.asked.Load()
	m.eventually("the record is read", func() error {
		if now := r.asked.Load(); now < last+4 {
			return fmt.Errorf("%d questions", now-last)
		}
		return nil
	})
}

// owned makes a member whose owner is earth.
func owned(t *testing.T) (*member, *record) {
	t.Helper()
	r := newRecord(t)
	m := newMember(t)
	m.resolver = r.address
	m.flags = append(m.stored(), "--delta-period=1h", "--owner-name=owner.sun.sky.internal", "--owner-id=earth", "--owner-check-interval=50ms", "--owner-check-timeout=200ms")
	return m, r
}

// stops waits until nobody can reach the etcd, and the backup server says so.
func (m *member) stops() {
	m.t.Helper()
	m.eventually("the etcd is stopped", func() error {
		if _, err := m.get("/healthz"); err == nil || !strings.Contains(err.Error(), "503") {
			return fmt.Errorf("health is %w", err)
		}
		if conn, err := net.Dial("tcp", m.client); err == nil {
			_ = conn.Close()
			return errors.New("clients can connect")
		}
		return nil
	})
}

func (m *member) serves() {
	m.t.Helper()
	m.eventually("the etcd serves", func() error { _, err := m.get("/healthz"); return err })
}

func (m *member) write(key string) map[string]string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	_, err := m.etcd.Put(ctx, key, key)
	must(m.t, err)
	return m.contents()
}

// finals are the final snapshots in the store.
func (m *member) finals() []snapshot.Snapshot {
	m.t.Helper()
	return slices.DeleteFunc(m.snapshots(), func(s snapshot.Snapshot) bool { return !s.Final })
}

// final waits until the store has this number of final snapshots, the last of them newest of all.
func (m *member) final(number int) {
	m.t.Helper()
	m.eventually("a final snapshot", func() error {
		if all := m.finals(); len(all) != number {
			return fmt.Errorf("there are %d of %d", len(all), number)
		}
		return nil
	})
	last := m.finals()[number-1]
	newer := func(s snapshot.Snapshot) bool { return s.Created.After(last.Created) } // another one of the same second may be older
	if all := m.snapshots(); slices.ContainsFunc(all, newer) || last.Kind != snapshot.Full {
		m.t.Errorf("the final snapshot is %+v, all are %+v", last, all)
	}
	m.eventually("MIG-24 the backup server has the final snapshot as the latest one", func() error {
		body, err := m.get("/snapshot/latest")
		if err == nil && !strings.Contains(body, `"isFinal":true`) {
			return errors.New(body)
		}
		return err
	})
}

func (m *member) has(want map[string]string) {
	m.t.Helper()
	if diff := cmp.Diff(want, m.contents()); diff != "" {
		m.t.Errorf("contents (-want +got):\n%s", diff)
	}
}

// TestOwner gives one etcd to other owners and back.
func TestOwner(t *testing.T) {
	m, r := owned(t)
	var want map[string]string

	t.Run("MIG-23 an etcd whose owner is unknown does not begin", func(t *testing.T) {
		m := m.in(t)
		m.launch()
		r.askedAgain(m)
		m.stops()
		if _, err := os.Stat(m.data()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it has data: %v", err)
		}
		r.becomes("moon")
		r.askedAgain(m)
		m.stops()
		if len(m.snapshots()) > 0 {
			t.Error("an etcd that never had this owner took a snapshot")
		}
		r.becomes("earth")
		m.serves()
	})
	t.Run("MIG-19 MIG-24 an etcd that belongs to another owner stops and has one final snapshot", func(t *testing.T) {
		m := m.in(t)
		want = m.write("one")
		pid := m.process.Process.Pid
		r.becomes("moon")
		m.stops()
		m.final(1)
		m.stops()
		r.askedAgain(m)
		m.final(1)
		if m.process.Process.Pid != pid || syscall.Kill(pid, 0) != nil {
			t.Error("the process has ended")
		}
	})
	t.Run("MIG-19 it stays so when its process begins anew", func(t *testing.T) {
		m := m.in(t)
		m.end(syscall.SIGKILL)
		m.launch()
		r.askedAgain(m)
		m.stops()
		m.final(1)
	})
	t.Run("MIG-19 it serves again when it is given back, and the final snapshot is not the last one", func(t *testing.T) {
		m := m.in(t)
		r.becomes("earth")
		m.serves()
		m.has(want)
		want = m.write("two")
		m.take("full")
	})
	t.Run("MIG-23 it stops without a snapshot while its owner is unknown, and goes on", func(t *testing.T) {
		m := m.in(t)
		r.becomes("")
		m.stops()
		r.askedAgain(m)
		if got := len(m.finals()); got != 1 {
			t.Errorf("there are %d final snapshots, want the old one", got)
		}
		r.becomes("earth")
		m.serves()
		m.has(want)
		want = m.write("three")
		m.take("delta")
	})
	t.Run("MIG-23 it takes the final snapshot when another owner turns out", func(t *testing.T) {
		m := m.in(t)
		r.becomes("")
		m.stops()
		r.becomes("moon")
		m.final(2)
		r.becomes("earth")
		m.serves()
		m.has(want)
	})
	t.Run("MIG-22 without its bucket it stops, the next owner goes on, and the final snapshot is taken when the bucket is back", func(t *testing.T) {
		m := m.in(t)
		known := m.write("four")
		m.take("full")
		want = m.write("unknown elsewhere")
		bucket, away := filepath.Join(m.backups, "bucket"), t.TempDir()
		must(t, atomicfile.Move(bucket, filepath.Join(away, "bucket"))) // as the other seed sees it
		must(t, os.WriteFile(bucket, nil, 0o600))                       // as root ignores permissions
		pid := m.process.Process.Pid
		r.becomes("moon")
		m.stops()

		other := newMember(t)
		must(t, copied{t: t, source: away, target: other.backups}.run(t.Context(), time.Second))
		other.flags = other.stored()
		other.start()
		other.has(known)
		other.end(syscall.SIGKILL)
		m.stops()

		must(t, os.Remove(bucket))
		must(t, atomicfile.Move(filepath.Join(away, "bucket"), bucket))
		_, _ = m.ask()
		m.final(3)
		if m.process.Process.Pid != pid || syscall.Kill(pid, 0) != nil {
			t.Error("the process has ended")
		}
		r.becomes("earth")
		m.serves()
		m.has(want)
	})
	t.Run("MIG-24 it does not wait for the next check when it is asked", func(t *testing.T) {
		m := m.in(t)
		interval := m.flags[slices.Index(m.flags, "--owner-check-interval=50ms")]
		m.end(syscall.SIGTERM)
		m.flags = append(m.flags, "--owner-check-interval=24h")
		m.launch()
		m.serves()
		m.write("asked")
		if got, err := m.ask(); err != nil || got != `{"owner":"self","released":false}` {
			t.Errorf("the answer to the owner is %s, %v", got, err)
		}
		before := len(m.finals())
		r.becomes("moon")
		m.eventually("the etcd is given up", func() error {
			got, err := m.ask()
			if err == nil && got != `{"owner":"other","released":true}` {
				err = errors.New(got)
			}
			return err
		})
		m.final(before + 1)
		m.end(syscall.SIGKILL)
		m.flags = append(m.flags, interval)
		r.becomes("earth")
		m.launch()
		m.serves()
	})
	t.Run("MIG-19 it ends when it is told to", func(t *testing.T) {
		m := m.in(t)
		m.write("five")
		before := len(m.finals())
		r.becomes("moon")
		m.final(before + 1)
		m.stops()
		r.askedAgain(m) // a signal while the process begins anew would be lost, and a kubelet would kill it
		m.end(syscall.SIGTERM)
		if conn, err := net.Dial("tcp", m.serve); err == nil {
			_ = conn.Close()
			t.Error("the backup server is still there")
		}
	})
}

// ask makes the member check its owner at once.
func (m *member) ask() (string, error) {
	response, err := http.Post("http://"+m.serve+"/owner/check", "", nil)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return strings.TrimSpace(string(body)), err
}

// in returns the member for a part of a test.
func (m *member) in(t *testing.T) *member {
	m.t = t
	return m
}
