package app

import (
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestThrift(t *testing.T) {
	for name, tc := range map[string]struct {
		intervals []time.Duration // between collections; the last one without a collection at its end
		want      []string
	}{
		"a process at rest stays thrifty":                           {[]time.Duration{3 * time.Second, 3 * time.Second, time.Minute}, nil},
		"two collections in a short time end it":                    {[]time.Duration{time.Minute, time.Second / 2, time.Second}, []string{"busy"}},
		"it comes back when nothing is collected any more":          {[]time.Duration{time.Second, time.Second / 2, time.Minute}, []string{"busy", "calm"}},
		"a process that goes on to collect now and then stays busy": {[]time.Duration{time.Second / 2, time.Second / 2, 6 * time.Second, 6 * time.Second, time.Second}, []string{"busy", "busy", "busy"}},
		"it ends and comes back again": {
			[]time.Duration{time.Second, time.Second / 2, time.Minute, time.Second / 2, time.Minute}, []string{"busy", "calm", "busy", "calm"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []string
				thrift := &thrift{interval: func() time.Duration { return busyInterval(50_000_000) }, busy: func() { got = append(got, "busy") }, calm: func() { got = append(got, "calm") }}
				for i, interval := range tc.intervals {
					time.Sleep(interval)
					synctest.Wait()
					if i < len(tc.intervals)-1 {
						thrift.collected(time.Now())
					}
				}
				thrift.mu.Lock()
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				if thrift.until != nil {
					thrift.until.Stop()
				}
				thrift.mu.Unlock()
			})
		})
	}
}

func TestGOGCAboveTheDefaultIsObeyed(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(300))
	saveMemory()
	if got := debug.SetGCPercent(300); got != 300 {
		t.Errorf("a server at rest collects at %d %%, want 300", got)
	}
}

func TestBusyInterval(t *testing.T) {
	for live, want := range map[uint64]time.Duration{0: 0, 60_000_000: 1200 * time.Millisecond, 300_000_000: 5 * time.Second, 1 << 50: 5 * time.Second} {
		if got := busyInterval(live); got != want {
			t.Errorf("%d live bytes: %s, want %s", live, got, want)
		}
	}
}

func TestBusyGCPercent(t *testing.T) {
	for name, tc := range map[string]struct {
		usual int
		live  uint64
		want  int
	}{
		"a small heap gathers more than it has":         {100, 50 << 20, 125},
		"an empty one, too":                             {100, 0, 125},
		"that of a pod goes on to save":                 {25, 50 << 20, 25},
		"so does that of a landscape with a few shoots": {100, 300 << 20, 125},
		"a large one gathers a fixed amount of garbage": {100, 768 << 20, 25},
		"a huge one is not collected all the time":      {100, 8 << 30, idleGCPercent},
		"a value of the user stays for small heaps":     {400, 20 << 20, 400},
	} {
		t.Run(name, func(t *testing.T) {
			if got := busyGCPercent(tc.usual, tc.live); got != tc.want {
				t.Errorf("%d %%, want %d %%", got, tc.want)
			}
		})
	}
	runtime.GC()
	if liveHeap() == 0 {
		t.Error("the size of the heap is unknown")
	}
}

func TestAfterEachCollection(t *testing.T) {
	told := make(chan struct{}, 100)
	afterEachCollection(func() {
		select {
		case told <- struct{}{}:
		default:
		}
	})
	for range 3 { // a collection each, also after the first
		for seen := false; !seen; {
			runtime.GC()
			select {
			case <-told:
				seen = true
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}
