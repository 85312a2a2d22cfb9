package component

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// patient is a component whose answers a test chooses.
type patient struct {
	fake
	state   sync.Mutex
	ready   func(ctx context.Context) error
	warning string
	refuses bool
}

func (p *patient) Ready(ctx context.Context) error {
	p.state.Lock()
	ready := p.ready
	p.state.Unlock()
	if ready == nil {
		return nil
	}
	return ready(ctx)
}

func (p *patient) Warning() (string, bool) {
	p.state.Lock()
	defer p.state.Unlock()
	return p.warning, p.refuses
}

func (p *patient) become(change func(*patient)) {
	p.state.Lock()
	defer p.state.Unlock()
	change(p)
}

// wait returns the first status that is as wanted. It fails the test when none is so within the time.
type wait func(t *testing.T, within time.Duration, what string, is func(Status) bool) Status

func degraded(st Status) bool { return st.State == Degraded && !st.Serves() }

func well(st Status) bool {
	return st.State == Ready && st.Message == "" && st.Warning == "" && st.Serves()
}

// attended runs a test with a part that is ready, whose time passes when all wait.
func attended(t *testing.T, test func(t *testing.T, part *patient, seen <-chan Status, await wait)) {
	synctest.Test(t, func(t *testing.T) {
		part := &patient{fake: fake{name: "etcd", log: &journal{}}}
		seen := make(chan Status, 100)
		s, stop := running(t, []Part{{Component: part}}, func(st Status) { seen <- st })
		await := func(t *testing.T, within time.Duration, what string, is func(Status) bool) Status {
			t.Helper()
			deadline := time.After(within)
			for {
				select {
				case st := <-seen:
					if is(st) {
						return st
					}
				case <-deadline:
					t.Fatalf("not %s after %s; status %+v", what, within, s.Statuses()[0])
				}
			}
		}
		await(t, time.Second, "ready", well)
		test(t, part, seen, await)
		stop()
	})
}

func TestPartThatWasReady(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, part *patient, seen <-chan Status, await wait){
		"APP-10 a part whose answer is an error is degraded within ten seconds": func(t *testing.T, part *patient, _ <-chan Status, await wait) {
			part.become(func(p *patient) { p.ready = func(context.Context) error { return errBoom } })
			if st := await(t, 10*time.Second, "degraded", degraded); st.Message != "boom" {
				t.Errorf("message %q", st.Message)
			}
			part.become(func(p *patient) { p.ready = nil })
			await(t, 5*time.Second, "ready", well)
		},
		"APP-10 a part that hangs is degraded within ten seconds": func(t *testing.T, part *patient, _ <-chan Status, await wait) {
			questions, release := 0, make(chan struct{})
			part.become(func(p *patient) {
				p.ready = func(context.Context) error { questions++; <-release; return nil } // ignores its context
			})
			if st := await(t, 10*time.Second, "degraded", degraded); !strings.Contains(st.Message, "does not answer") {
				t.Errorf("message %q", st.Message)
			}
			part.become(func(p *patient) { p.ready = nil })
			close(release)
			await(t, 5*time.Second, "ready", well)
			if questions != 1 {
				t.Errorf("it was asked %d times although it had not answered", questions)
			}
		},
		"a single failure changes nothing": func(t *testing.T, part *patient, seen <-chan Status, _ wait) {
			asked := 0
			part.become(func(p *patient) {
				p.ready = func(context.Context) error {
					if asked++; asked == 1 {
						return errBoom
					}
					return nil
				}
			})
			select {
			case st := <-seen:
				t.Errorf("status %+v", st)
			case <-time.After(3 * askInterval):
			}
		},
		"a warning is told while the part is ready": func(t *testing.T, part *patient, _ <-chan Status, await wait) {
			part.become(func(p *patient) { p.warning = "60 % are used" })
			st := await(t, 5*time.Second, "warned about", func(st Status) bool { return st.Warning != "" })
			if st.State != Ready || st.Warning != "60 % are used" || !st.Serves() {
				t.Errorf("status %+v", st)
			}
		},
		"a part that refuses requests is degraded": func(t *testing.T, part *patient, _ <-chan Status, await wait) {
			part.become(func(p *patient) { p.warning, p.refuses = "80 % are used", true })
			if st := await(t, 5*time.Second, "degraded", degraded); st.Message != "80 % are used" || st.Warning != "" {
				t.Errorf("status %+v", st)
			}
			part.become(func(p *patient) { p.warning, p.refuses = "", false })
			await(t, 5*time.Second, "ready", well)
		},
	} {
		t.Run(name, func(t *testing.T) { attended(t, test) })
	}
}
