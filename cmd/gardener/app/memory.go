package app

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// idleGCPercent trades processor time, of which a landscape at rest needs little, for memory. While a server starts or
	// has much to do, the usual 100 or the variable GOGC applies: at 20, collections took half of the processor time then.
	idleGCPercent = 20
	// settleTime is when a component is taken to have started.
	settleTime = 15 * time.Second
	// busyInterval is between collections of a process that has much to do: at rest they are seconds apart.
	busyInterval = time.Second
	// calmTime without a collection makes a process one that is at rest.
	calmTime = 10 * time.Second
)

// saveMemory gives back what starting took. A variable GOGC that is more thrifty stays in force.
func saveMemory() {
	before := debug.SetGCPercent(idleGCPercent)
	if before >= 0 && before < idleGCPercent {
		debug.SetGCPercent(before)
	}
	debug.FreeOSMemory()
	unmapStart()
	if before > idleGCPercent {
		t := &thrift{
			busy: func() { debug.SetGCPercent(before) },
			calm: func() { debug.SetGCPercent(idleGCPercent); debug.FreeOSMemory() },
		}
		afterEachCollection(func() { t.collected(time.Now()) })
	}
}

// saveMemoryLater is saveMemory for components, which nobody tells when they have settled.
func saveMemoryLater() { time.AfterFunc(settleTime, saveMemory) }

// thrift ends while a process has much to do, which it knows by how often memory is collected, and comes back thereafter.
// A process at rest has nothing to do for it.
type thrift struct {
	busy, calm func()

	mu    sync.Mutex
	last  time.Time   // collection
	until *time.Timer // runs while the process is busy
}

// collected is called after each collection.
func (t *thrift) collected(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	interval := now.Sub(t.last)
	t.last = now
	switch {
	case t.until != nil:
		t.until.Reset(calmTime)
	case interval < busyInterval:
		t.busy()
		t.until = time.AfterFunc(calmTime, t.rest)
	}
}

func (t *thrift) rest() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.last) < calmTime { // collected while this waited; the timer runs again
		return
	}
	t.until, t.last = nil, time.Time{}
	t.calm()
}

// afterEachCollection calls f from then on, not at the same time as itself. A small object that nobody uses tells.
func afterEachCollection(f func()) {
	type sentinel struct{ _ *sentinel }
	runtime.AddCleanup(&sentinel{}, func(int) {
		f()
		afterEachCollection(f)
	}, 0)
}
