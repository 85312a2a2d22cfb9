package app

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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
	// busyGarbage is how much garbage a busy process may gather between two collections if its heap is large. The usual 100 percent
	// would double the memory of what a garden stores while it is written. Below this size of the heap, 100 percent is less.
	busyGarbage = 192 << 20
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
			busy: func() { debug.SetGCPercent(busyGCPercent(before, liveHeap())) },
			calm: func() { debug.SetGCPercent(idleGCPercent); debug.FreeOSMemory() },
		}
		afterEachCollection(func() { t.collected(time.Now()) })
	}
}

// busyGCPercent is the usual percentage, or a lower one that bounds the garbage of a heap with so many live bytes.
func busyGCPercent(usual int, live uint64) int {
	bounded := busyGarbage * 100 / max(live, 1)
	return int(max(idleGCPercent, min(uint64(usual), bounded)))
}

// liveHeap is what the last collection left, in bytes.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// saveMemoryLater is saveMemory for components. They cannot know when they have settled, so it waits for
// settleTime.
func saveMemoryLater() { time.AfterFunc(settleTime, saveMemory) }

// thrift keeps the low GC percentage while the process is at rest and a higher one while it is busy. The
// frequency of collections shows which one it is. A process at rest spends nothing on this.
type thrift struct {
	busy func() // after each collection of a busy process
	calm func() // when the process comes to rest

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
		t.busy()
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
