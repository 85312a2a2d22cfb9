package framework

import (
	"errors"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// leastPatience is for a machine that runs other packages of tests meanwhile, which take most of the processor time for minutes. Only a test that
// fails takes that long.
const leastPatience = 15 * time.Minute

// Eventually polls until check returns true. After the timeout, or leastPatience if that is longer, it fails the test with check's last
// message. A check mostly runs a process, so it is given a small part of the processor time.
func (l *Landscape) Eventually(timeout time.Duration, what string, check func() (bool, string)) {
	l.t.Helper()
	testwait.Sparing(l.t, max(timeout, leastPatience), what, func() error {
		if ok, said := check(); !ok {
			return errors.New(said)
		}
		return nil
	})
}
