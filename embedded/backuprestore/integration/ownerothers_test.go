package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOwnerOfThree has an etcd of three members, each with a name server of its own, which answers or rests.
func TestOwnerOfThree(t *testing.T) {
	c := newCluster(t)
	c.size = 3
	var records [3]*record
	var servers [3]*resting
	for i := range records {
		records[i], servers[i] = farRecord(t)
	}
	c.flags = func(i int) []string { // the timeout is how long a member waits for the others, which take some seconds to stop
		return []string{"--owner-name=" + recordName, "--owner-id=earth", "--owner-server=" + records[i].address, "--owner-check-interval=50ms", "--owner-check-timeout=15s"}
	}
	set := func(value string, rests bool, members ...int) {
		for _, i := range members {
			records[i].becomes(value)
			servers[i].rests.Store(rests)
		}
	}
	each := func(do func(*member)) {
		for _, m := range c.members {
			do(m)
		}
	}
	c.start(0, 1, 2)
	c.put(0, "first")
	c.agree("first")
	set("earth", true, 0, 1, 2)
	for i, m := range c.members {
		records[i].askedAgain(m)
		m.serves()
	}

	ok := t.Run("MIG-14 MIG-19 one member hears of another owner: all stop, those that hear nothing as well, with one final snapshot", func(t *testing.T) {
		set("moon", false, 1)
		each(func(m *member) { m.in(t).stops() })
		c.members[0].in(t).final(1)
	})
	ok = ok && t.Run("MIG-14 none of them begins again while no name server answers, also not one that has forgotten what it has heard", func(t *testing.T) {
		set("moon", true, 0, 1, 2)
		each(func(m *member) { m.end(syscall.SIGKILL) })
		// One member may end before it knows that another one has taken the final snapshot. It has also forgotten what it has heard.
		for i, m := range c.members {
			must(t, os.RemoveAll(filepath.Join(m.dir, "owned")))
			if i == 2 {
				must(t, os.WriteFile(filepath.Join(m.dir, "owned"), nil, 0o600))
			}
		}
		lost := filepath.Join(c.members[2].dir, "lost")
		must(t, os.Remove(lost))
		c.start(0, 1, 2)
		c.members[2].in(t).eventually("it hears it from the others", func() error { _, err := os.Stat(lost); return err })
		for i := range 2 { // the last one waits for the others with its final snapshot
			records[i].askedAgain(c.members[i].in(t))
		}
		each((*member).stops)
	})
	_ = ok && t.Run("MIG-14 they serve when each of them has heard of its owner, and also after that without a name server", func(t *testing.T) {
		set("earth", false, 0, 1, 2)
		each(func(m *member) {
			m.in(t).eventually("the etcd serves", func() error {
				_, _ = m.ask() // so that the last one does not wait
				_, err := m.get("/healthz")
				return err
			})
		})
		c.t = t
		c.agree("first")
		c.members[0].eventually("no notes are left", func() error {
			left, err := os.ReadDir(filepath.Join(c.backups, "bucket", "shoot", "etcd-main", "notes"))
			if err == nil && len(left) > 0 {
				err = fmt.Errorf("notes %v", left)
			}
			return err
		})
		set("earth", true, 0, 1, 2)
		each(func(m *member) { m.end(syscall.SIGKILL) })
		c.start(0, 1, 2)
		each((*member).serves)
		c.put(1, "second")
		c.agree("first", "second")
	})
}
