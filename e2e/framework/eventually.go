package framework

import (
	"errors"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// Eventually polls until check returns true. After the timeout it fails the test with check's last message. A check mostly runs a process, so
// it is given a small part of the processor time.
func (l *Landscape) Eventually(timeout time.Duration, what string, check func() (bool, string)) {
	l.t.Helper()
	testwait.Sparing(l.t, timeout, what, func() error {
		if ok, said := check(); !ok {
			return errors.New(said)
		}
		return nil
	})
}
