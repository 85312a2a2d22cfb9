package collector

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestFirstCollection(t *testing.T) {
	percent := func() int {
		now := debug.SetGCPercent(usual)
		debug.SetGCPercent(now)
		return now
	}
	if now := percent(); now != startPercent {
		t.Fatalf("a process starts with %d %%", now)
	}
	runtime.GC()
	testwait.For(t, time.Minute, "the first collection brings back the usual pace", func() error {
		if now := percent(); now != usual {
			return fmt.Errorf("it is %d %%", now)
		}
		return nil
	})
}
