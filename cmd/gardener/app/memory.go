package app

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/gardener-up/gardener-up/cmd/gardener/app/collector"
)

const (
	// idleGCPercent trades processor time for memory. A landscape at rest needs little processor time. While a server
	// starts, the usual 100 or the value of GOGC applies: at 20, garbage collections took half of the processor time.
	idleGCPercent = 20
	// busyGCPercentage is for a busy process without GOGC, instead of Go's default. A busy daemon spends 36 % of its processor time on
	// collections with 82 %, which it had when its garbage was limited to 192 MiB from the start.
	busyGCPercentage = 125
	// settleTime is how long a component is assumed to take to start.
	settleTime = 15 * time.Second
	// busyGarbage is how much garbage a busy process may gather between two collections if its heap is larger than that of a landscape
	// with a few shoots. A percentage would multiply the memory of what a garden stores while it is written.
	busyGarbage = 192 << 20
	largeHeap   = 320 << 20
	// busyPerByte is the longest time between collections of a busy process for each byte that a collection leaves. Marking a byte takes
	// about a nanosecond of processor time, so rarer collections take 5 % of one core at most.
	busyPerByte = 20 * time.Nanosecond
	// A process without a collection for calmTime is at rest.
	calmTime = 10 * time.Second
)

// saveMemory returns the memory that starting needed. A lower value in GOGC stays in force, and so does one above Go's default: whoever sets
// it has memory to spare, and would pay for each change between rest and work.
func saveMemory() {
	before := debug.SetGCPercent(idleGCPercent)
	if before > collector.DefaultPercent {
		debug.SetGCPercent(before)
		return
	}
	if before >= 0 && before < idleGCPercent {
		debug.SetGCPercent(before)
	}
	debug.FreeOSMemory()
	unmapStart()
	if before > idleGCPercent {
		t := &thrift{
			interval: func() time.Duration { return busyInterval(liveHeap()) },
			busy:     func() { debug.SetGCPercent(busyGCPercent(before, liveHeap())) },
			calm:     func() { debug.SetGCPercent(idleGCPercent); debug.FreeOSMemory() },
		}
		afterEachCollection(func() { t.collected(time.Now()) })
	}
}

// busyGCPercent is that of a busy process with so many live bytes, whose GOGC is as given, or Go's default.
func busyGCPercent(given int, live uint64) int {
	if given == collector.DefaultPercent {
		given = busyGCPercentage
	}
	if live < largeHeap {
		return given
	}
	return max(idleGCPercent, min(given, int(busyGarbage*100/live))) //nolint:gosec // far below 2^63
}

// busyInterval is the time between collections below which a process with so many live bytes is busy. It is always shorter than calmTime.
func busyInterval(live uint64) time.Duration {
	return min(busyPerByte*time.Duration(min(live, 1<<40)), calmTime/2) //nolint:gosec // far below 2^63
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
	interval func() time.Duration // below which a process is busy

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
	case interval < t.interval():
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
