package integration

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// cluster is an etcd of several members, each in a process of its own, with TLS between them. As the pods of an Etcd, they have the
// same ports at different addresses.
type cluster struct {
	t                   *testing.T
	pki                 *testpki.PKI
	backups             string
	client, peer, serve string               // ports
	state               string               // etcd's flag initial-cluster-state
	size                int                  // members in etcd's flag initial-cluster
	flags               func(i int) []string // more flags of a member; nil means none
	members             [3]*member
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, backups: t.TempDir(), client: port(t), peer: port(t), serve: port(t), state: "new"}
	var hosts []string
	for i := range c.members {
		hosts = append(hosts, host(i))
	}
	pki, err := testpki.New(t.TempDir(), hosts...)
	must(t, err)
	c.pki = pki
	for i := range c.members {
		m := &member{t: t, dir: t.TempDir(), backups: c.backups, client: host(i) + ":" + c.client, serve: host(i) + ":" + c.serve}
		m.etcd, err = clientv3.New(clientv3.Config{Endpoints: []string{c.endpoint(i)}, Logger: zap.NewNop()})
		must(t, err)
		c.members[i] = m
		t.Cleanup(func() { m.end(syscall.SIGKILL); _ = m.etcd.Close() })
	}
	return c
}

func host(i int) string { return fmt.Sprintf("127.0.0.%d", 11+i) }

func port(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(free(t))
	must(t, err)
	return port
}

func (c *cluster) endpoint(i int) string { return "http://" + host(i) + ":" + c.client }
func (c *cluster) peerURL(i int) string  { return "https://" + host(i) + ":" + c.peer }

// start starts processes of members. It does not wait.
func (c *cluster) start(members ...int) {
	c.t.Helper()
	var initial []string
	for i := range c.size {
		initial = append(initial, fmt.Sprintf("m%d=%s", i, c.peerURL(i)))
	}
	for _, i := range members {
		m := c.members[i]
		args := append([]string{"serve", "--listen=" + m.serve, "--delta-period=200ms"}, m.stored()...)
		if c.flags != nil {
			args = append(args, c.flags(i)...)
		}
		args = append(args, "--", fmt.Sprintf("--name=m%d", i), "--data-dir="+m.data(), "--heartbeat-interval=50", "--election-timeout=500",
			"--listen-client-urls="+c.endpoint(i), "--advertise-client-urls="+c.endpoint(i), "--listen-peer-urls="+c.peerURL(i),
			"--initial-advertise-peer-urls="+c.peerURL(i), "--initial-cluster="+strings.Join(initial, ","), "--initial-cluster-state="+c.state,
			"--initial-cluster-token=token", "--log-level=error", "--peer-client-cert-auth=true", "--peer-trusted-ca-file="+c.pki.Path("ca.crt"),
			"--peer-cert-file="+c.pki.Path("server.crt"), "--peer-key-file="+c.pki.Path("server.key"))
		m.process = exec.Command(os.Args[0], args...)
		m.process.Env = append(os.Environ(), memberVariable+"=1")
		m.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		log, err := os.OpenFile(filepath.Join(m.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		must(c.t, err)
		m.process.Stdout, m.process.Stderr = log, log
		must(c.t, m.process.Start())
		must(c.t, log.Close())
	}
}

// voters waits until the member knows this number of members, and all of them vote.
func (c *cluster) voters(i, want int) {
	c.t.Helper()
	c.members[i].eventually(fmt.Sprintf("%d voters", want), func() error {
		ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Second)
		defer cancel()
		list, err := c.members[i].etcd.MemberList(ctx)
		if err != nil {
			return err
		}
		voters := 0
		for _, known := range list.Members {
			if !known.IsLearner && known.Name != "" {
				voters++
			}
		}
		if voters != want || len(list.Members) != want {
			return fmt.Errorf("members %v", list.Members)
		}
		return nil
	})
}

func (c *cluster) put(i int, key string) {
	c.t.Helper()
	c.members[i].eventually("write "+key, func() error {
		ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Second)
		defer cancel()
		_, err := c.members[i].etcd.Put(ctx, key, key)
		return err
	})
}

// agree waits until all members answer, which learners do not, and have the same content.
func (c *cluster) agree(want ...string) {
	c.t.Helper()
	contents := map[string]string{}
	for _, key := range want {
		contents[key] = key
	}
	for i, m := range c.members {
		m.eventually(fmt.Sprintf("member %d has everything", i), func() error {
			ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Second)
			defer cancel()
			response, err := m.etcd.Get(ctx, "\x00", clientv3.WithFromKey())
			if err != nil {
				return err
			}
			got := map[string]string{}
			for _, kv := range response.Kvs {
				got[string(kv.Key)] = string(kv.Value)
			}
			if diff := cmp.Diff(contents, got); diff != "" {
				return fmt.Errorf("contents (-want +got):\n%s", diff)
			}
			return nil
		})
	}
}

// waits checks for a while that members make no data.
func (c *cluster) waits(t *testing.T, members ...int) {
	t.Helper()
	testwait.Stays(t, 5*time.Second, "members that wait for the others", func() error {
		for _, i := range members {
			if _, err := os.Stat(c.members[i].data()); err == nil {
				return fmt.Errorf("member %d has begun", i)
			}
		}
		return nil
	})
}

// TestCluster scales an etcd from one member to three, and loses one and two of them.
func TestCluster(t *testing.T) {
	c := newCluster(t)
	ok := t.Run("one member becomes three", func(t *testing.T) {
		c.size = 1
		c.start(0)
		c.put(0, "first")
		c.size, c.state = 3, "existing"
		c.start(1, 2)
		c.voters(0, 3)
		c.put(1, "second")
		c.agree("first", "second")
	})
	ok = ok && t.Run("a member without data never makes a cluster of its own", func(t *testing.T) {
		other := newCluster(t)
		other.size, other.state = 3, "existing"
		other.start(1, 2)
		other.waits(t, 1, 2)
	})
	ok = ok && t.Run("ETC-10 the data of one member are lost: it joins the others again", func(t *testing.T) {
		lost := c.members[2]
		lost.end(syscall.SIGKILL)
		c.put(0, "third")
		must(t, os.RemoveAll(lost.data()))
		c.start(2)
		c.voters(0, 3)
		c.agree("first", "second", "third")
	})
	ok = ok && t.Run("ETC-10 the data of one member are damaged: it joins the others again", func(t *testing.T) {
		hurt := c.members[0]
		hurt.end(syscall.SIGKILL)
		must(t, os.Truncate(filepath.Join(hurt.data(), "member", "snap", "db"), 5000))
		c.start(0)
		c.voters(1, 3)
		c.agree("first", "second", "third")
	})
	_ = ok && t.Run("ETC-10 two members are lost: nothing is made anew, until it begins with one member from the backups", func(t *testing.T) {
		all := c.members
		last, err := all[0].etcd.Get(t.Context(), "first")
		must(t, err)
		all[0].eventually("backups of everything", func() error {
			chains := snapshot.Chains(all[0].snapshots())
			if len(chains) == 0 || chains[0].End() < last.Header.Revision {
				return fmt.Errorf("revision %d is not in %v", last.Header.Revision, chains)
			}
			return nil
		})
		for _, i := range []int{1, 2} {
			all[i].end(syscall.SIGKILL)
			must(t, os.RemoveAll(all[i].data()))
		}
		c.start(1, 2)
		c.waits(t, 1, 2)
		for _, m := range all { // what druid does on request
			m.end(syscall.SIGKILL)
			must(t, os.RemoveAll(m.data()))
		}
		c.size, c.state = 1, "new"
		c.start(0)
		c.voters(0, 1)
		c.size, c.state = 3, "existing"
		c.start(1, 2)
		c.voters(0, 3)
		c.put(2, "fourth")
		c.agree("first", "second", "third", "fourth")
	})
}
