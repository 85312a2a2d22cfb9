package app

import (
	"runtime/debug"
	"time"
)

const (
	// idleGCPercent trades processor time, of which a landscape at rest needs little, for memory. While a server starts,
	// the usual 100 or the variable GOGC applies.
	idleGCPercent = 20
	// settleTime is when a component is taken to have started.
	settleTime = 15 * time.Second
)

// saveMemory gives back what starting took. A variable GOGC that is more thrifty stays in force.
func saveMemory() {
	if before := debug.SetGCPercent(idleGCPercent); before >= 0 && before < idleGCPercent {
		debug.SetGCPercent(before)
	}
	debug.FreeOSMemory()
	unmapStart()
}

// saveMemoryLater is saveMemory for components, which nobody tells when they have settled.
func saveMemoryLater() { time.AfterFunc(settleTime, saveMemory) }
