package integration

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestLeader(t *testing.T) {
	c := newCluster(t)
	c.size = 3
	c.flags = func(int) []string { return []string{"--leader-check-period=1s", "--leader-check-timeout=2s"} }
	c.start(0, 1, 2)
	c.voters(0, 3)
	c.put(0, "first")
	leader := -1
	c.members[0].eventually("a member that makes backups", func() error {
		for i, m := range c.members {
			if _, err := m.get("/snapshot/full"); err == nil {
				leader = i
				return nil
			}
		}
		return errors.New("none")
	})
	t.Run("ETC-5 another member makes the backups as soon as it has to look at who leads", func(t *testing.T) {
		c.members[leader].end(syscall.SIGKILL)
		testwait.For(t, 15*time.Second, "a member that makes backups", func() error { // half of the time between two looks otherwise
			var all []error
			for i, m := range c.members {
				if i == leader {
					continue
				}
				_, err := m.get("/snapshot/full")
				if err == nil {
					return nil
				}
				all = append(all, err)
			}
			return errors.Join(all...)
		})
	})
}
