package app

import (
	"runtime/debug"
	"time"
)

const (
	// idleGCPercent trades processor time, of which a landscape at rest needs little, for memory. While a server starts,
	// the usual 100 or the variable GOGC applies.
	idleGCPercent = 30
	// settleTime is when a component is taken to have started.
	settleTime = 15 * time.Second
)

// saveMemory gives back what starting took.
func saveMemory() {
	debug.SetGCPercent(idleGCPercent)
	debug.FreeOSMemory()
}

// saveMemoryLater is saveMemory for components, which nobody tells when they have settled.
func saveMemoryLater() { time.AfterFunc(settleTime, saveMemory) }
