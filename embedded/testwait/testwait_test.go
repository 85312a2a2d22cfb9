package testwait_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// recorder notes the failure of a test.
type recorder struct {
	testing.TB
	ctx     context.Context
	failure string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Context() context.Context       { return r.ctx }
func (r *recorder) Fatalf(format string, v ...any) { r.failure = fmt.Sprintf(format, v...) }

// in runs body in a bubble, whose time passes at once, and returns how much time passed and how the test failed.
func in(t *testing.T, body func(r *recorder)) (took time.Duration, failure string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, begin := &recorder{TB: t, ctx: t.Context()}, time.Now()
		body(r)
		took, failure = time.Since(begin), r.failure
	})
	return took, failure
}

var errNotYet = errors.New("not yet")

// after returns a check that succeeds when the time is over.
func after(d time.Duration) func() error {
	begin := time.Now()
	return func() error {
		if time.Since(begin) < d {
			return errNotYet
		}
		return nil
	}
}

func TestSparing(t *testing.T) {
	for cost, want := range map[time.Duration]int{0: 41, 150 * time.Millisecond: 14, 5 * time.Second: 2} {
		checks := 0
		_, failure := in(t, func(r *recorder) {
			over := after(10 * time.Second)
			testwait.Sparing(r, time.Minute, "it", func() error {
				checks++
				<-time.After(cost)
				return over()
			})
		})
		if failure != "" || checks < want-1 || checks > want+1 {
			t.Errorf("%d checks of %s in 10 s, want %d: %q", checks, cost, want, failure)
		}
	}
}

func TestUntil(t *testing.T) {
	took, failure := in(t, func(r *recorder) { testwait.Until(r, "it", after(3*time.Second)) })
	if failure != "" || took < 3*time.Second || took > 3200*time.Millisecond {
		t.Errorf("it took %s: %q", took, failure)
	}
	took, failure = in(t, func(r *recorder) { testwait.Until(r, "it", after(time.Hour)) })
	if took != testwait.Patience || failure != "it: not within 1m0s: not yet" {
		t.Errorf("it failed after %s: %q", took, failure)
	}
	took, failure = in(t, func(r *recorder) { testwait.For(r, time.Second, "it", after(2*time.Second)) })
	if took != time.Second || !strings.Contains(failure, "not yet") {
		t.Errorf("it failed after %s: %q", took, failure)
	}
}

func TestChanged(t *testing.T) {
	asked := 0
	took, failure := in(t, func(r *recorder) {
		changes := make(chan struct{}, 1)
		time.AfterFunc(10*time.Second, func() { changes <- struct{}{} })
		check := after(10 * time.Second)
		testwait.Changed(r, changes, time.Hour, "it", func(context.Context) error { asked++; return check() })
	})
	if failure != "" || asked != 2 || took != 10*time.Second {
		t.Errorf("it took %s and %d questions: %q", took, asked, failure)
	}
	took, failure = in(t, func(r *recorder) {
		check := after(10 * time.Second)
		testwait.Changed(r, nil, time.Second, "it", func(context.Context) error { return check() })
	})
	if failure != "" || took < 10*time.Second || took > 11*time.Second {
		t.Errorf("without a change it took %s: %q", took, failure)
	}
	_, failure = in(t, func(r *recorder) {
		testwait.Changed(r, nil, time.Hour, "it", func(ctx context.Context) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return errNotYet
		})
	})
	if !strings.HasSuffix(failure, "not yet") {
		t.Errorf("the end of time hides the reason: %q", failure)
	}
}

func TestStays(t *testing.T) {
	for name, tc := range map[string]struct {
		breaks time.Duration
		fails  bool
	}{
		"what fails within the time":   {900 * time.Millisecond, true},
		"what fails after it":          {1500 * time.Millisecond, false},
		"what fails from the start on": {0, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, failure := in(t, func(r *recorder) {
				over := after(tc.breaks)
				testwait.Stays(r, time.Second, "it", func() error {
					if r.failure == "" && over() == nil {
						return errNotYet
					}
					return nil
				})
			})
			if (failure != "") != tc.fails {
				t.Errorf("failure %q", failure)
			}
		})
	}
}

// The context of a test has ended when its cleanups run.
func TestCleanupsWait(t *testing.T) {
	for name, until := range map[string]func(r *recorder, check func() error){
		"Until": func(r *recorder, check func() error) { testwait.Until(r, "it", check) },
		"Changed": func(r *recorder, check func() error) {
			testwait.Changed(r, nil, time.Second, "it", func(context.Context) error { return check() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			took, failure := in(t, func(r *recorder) {
				ended, cancel := context.WithCancel(r.ctx)
				cancel()
				r.ctx = ended
				until(r, after(3*time.Second))
			})
			if failure != "" || took < 3*time.Second {
				t.Errorf("it took %s: %q", took, failure)
			}
		})
	}
}
