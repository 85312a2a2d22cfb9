// Package wallclocktest has a clock of a machine that sleeps. It is for tests.
package wallclocktest

import (
	"sync/atomic"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// Laptop is a clock whose timers stand still while the machine sleeps.
type Laptop struct {
	*clocktesting.FakeClock
	slept atomic.Int64
}

// New returns the clock of a machine that has not slept yet.
func New(now time.Time) *Laptop { return &Laptop{FakeClock: clocktesting.NewFakeClock(now)} }

// Now implements clock.PassiveClock.
func (l *Laptop) Now() time.Time { return l.FakeClock.Now().Add(time.Duration(l.slept.Load())) }

// Since implements clock.PassiveClock.
func (l *Laptop) Since(t time.Time) time.Duration { return l.Now().Sub(t) }

// Sleep lets the machine sleep: the clock on the wall goes on, and timers do not.
func (l *Laptop) Sleep(d time.Duration) { l.slept.Add(int64(d)) }
