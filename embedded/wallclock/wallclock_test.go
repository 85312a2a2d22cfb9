package wallclock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/gardener-up/gardener-up/embedded/wallclock"
	"github.com/gardener-up/gardener-up/embedded/wallclock/wallclocktest"
)

var begin = time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)

func TestUntil(t *testing.T) {
	for name, tc := range map[string]struct {
		sleep time.Duration
		// back is by how much the clock is set back, after as much as later.
		back, later time.Duration
		// awake is how long the machine must be awake at most.
		awake time.Duration
	}{
		"a machine that stays awake":                        {awake: time.Hour},
		"a machine that sleeps over the time":               {sleep: 8 * time.Hour, awake: wallclock.Look},
		"a machine that sleeps for a part of the time only": {sleep: 30 * time.Minute, awake: 30*time.Minute + wallclock.Look},
		"a clock that was a day ahead":                      {back: 24 * time.Hour, awake: wallclock.Look},
		"a clock that is set back by a part of the time":    {back: 20 * time.Minute, later: 40 * time.Minute, awake: time.Hour + wallclock.Look},
		"a clock that is set back by a few seconds":         {back: 30 * time.Second, later: 40 * time.Minute, awake: time.Hour + 30*time.Second},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				laptop := wallclocktest.New(begin)
				ended := make(chan error, 1)
				go func() { ended <- wallclock.Until(t.Context(), laptop, begin.Add(time.Hour)) }()
				synctest.Wait()
				laptop.Sleep(tc.sleep)
				var awake time.Duration
				for len(ended) == 0 && awake < 2*time.Hour {
					if tc.back > 0 && awake == tc.later {
						laptop.Sleep(-tc.back)
					}
					laptop.Step(10 * time.Second)
					awake += 10 * time.Second
					synctest.Wait()
				}
				if early := laptop.Now().Before(begin.Add(time.Hour)) && tc.back < wallclock.Look; awake > tc.awake || early {
					t.Errorf("the wait ended at %s, after %s awake, want %s", laptop.Now(), awake, tc.awake)
				}
			})
		})
	}
	t.Run("APP-35 the end of the context", func(t *testing.T) {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := wallclock.Until(ended, clock.RealClock{}, time.Now().Add(time.Hour)); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestJumps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		laptop, jumps := wallclocktest.New(begin), 0
		ctx, cancel := context.WithCancel(t.Context())
		go wallclock.Jumps(ctx, laptop, func() { jumps++ })
		awake := func(minutes int) {
			for range 6 * minutes {
				synctest.Wait()
				laptop.Step(10 * time.Second)
			}
			synctest.Wait()
		}
		for _, step := range []struct {
			sleep time.Duration
			want  int
		}{{0, 0}, {time.Hour, 1}, {0, 1}, {8 * time.Hour, 2}} {
			synctest.Wait()
			laptop.Sleep(step.sleep)
			awake(3)
			if jumps != step.want {
				t.Errorf("APP-35 after another sleep of %s, %d jumps were seen, want %d", step.sleep, jumps, step.want)
			}
		}
		cancel()
		synctest.Wait()
	})
}
