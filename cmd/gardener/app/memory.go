package app

import "runtime/debug"

// idleGCPercent trades processor time, of which a landscape at rest needs little, for memory. While it starts, the
// usual 100 applies.
const idleGCPercent = 30

// saveMemory gives back what starting took.
func saveMemory() {
	debug.SetGCPercent(idleGCPercent)
	debug.FreeOSMemory()
}
