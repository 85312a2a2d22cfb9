package app

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// idleGCPercent trades processor time for memory. A landscape at rest needs little processor time. While a server
	// starts or is busy, the usual 100 or the value of GOGC applies: at 20, garbage collections took half of the
	// processor time.
	idleGCPercent = 20
	// settleTime is how long a component is assumed to take to start.
	settleTime = 15 * time.Second
	// busyInterval is the longest time between collections of a busy process. At rest, collections are seconds apart.
	busyInterval = time.Second
	// A process without a collection for calmTime is at rest.
	calmTime = 10 * time.Second
)

// saveMemory returns the memory that starting needed. A lower value in GOGC stays in force.
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

// saveMemoryLater is saveMemory for components. Nobody tells them when they have settled, so it waits for
// settleTime.
func saveMemoryLater() { time.AfterFunc(settleTime, saveMemory) }

// thrift keeps the low GC percentage while the process is at rest and restores the usual one while it is busy. The
// frequency of collections shows which one it is. A process at rest spends nothing on this.
type thrift struct {
	busy, calm func()

	mu    sync.Mutex
	last  time.Time   // time of the last collection
	until *time.Timer // running while the process is busy
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
	if time.Since(t.last) < calmTime { // a collection happened in the meantime; the timer runs again
		return
	}
	t.until, t.last = nil, time.Time{}
	t.calm()
}

// afterEachCollection calls f after each collection from now on, never twice at the same time. The finalizer of a
// small unused object triggers it.
func afterEachCollection(f func()) {
	type sentinel struct{ _ *sentinel }
	runtime.AddCleanup(&sentinel{}, func(int) {
		f()
		afterEachCollection(f)
	}, 0)
}
