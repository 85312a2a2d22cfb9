// Package collector holds the garbage collector back while a command starts. The packages of this binary allocate 20 MB before main, and keep
// most of it: collections meanwhile take a fifth of the processor time of a short command. The package has to be initialized early;
// packages that are ready are initialized in the order of their paths.
package collector

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// startPercent lets the first collection begin at 40 MB. That is more than a start needs, and than most commands need.
const startPercent = 1000

// DefaultPercent is Go's own value of GOGC.
const DefaultPercent = 100

// usual is the value of GOGC, or 100.
var usual = hold()

// hold obeys a GOGC that saves memory, as pods have it: garbage that is never collected scatters what a server keeps, 4 MB for a small one.
func hold() int {
	given := debug.SetGCPercent(startPercent)
	if given < DefaultPercent {
		debug.SetGCPercent(given)
	}
	return given
}

var end = sync.OnceFunc(func() { debug.SetGCPercent(usual) })

func init() {
	type sentinel struct{ _ *sentinel } // nobody uses it, so the first collection finds it
	runtime.AddCleanup(&sentinel{}, func(int) { Usual() }, 0)
}

// Usual ends the start: from now on the collector obeys GOGC. The first collection does it, too, so that a command with much to do needs no
// more memory than usual. Servers call it before they begin.
func Usual() { end() }
