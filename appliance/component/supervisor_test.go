package component

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errBoom = errors.New("boom")

// fake is a component that notes what happens to it.
type fake struct {
	name     string
	log      *journal
	startErr error
	mu       sync.Mutex
	done     chan struct{}
	reason   error
}

func (f *fake) Name() string { return f.name }
func (f *fake) Start(context.Context) error {
	f.log.add("start " + f.name)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = make(chan struct{})
	return f.startErr
}
func (f *fake) Ready(context.Context) error { return nil }
func (f *fake) Done() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done
}
func (f *fake) Stop(context.Context) error {
	f.log.add("stop " + f.name)
	f.end(nil)
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reason
}
func (f *fake) end(reason error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done != nil && !isClosed(f.done) {
		f.reason = reason
		close(f.done)
	}
}

type journal struct {
	mu      sync.Mutex
	entries []string
}

func (j *journal) add(entry string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry)
}
func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.entries)
}

func TestSupervisorStartsInOrderAndStopsInReverse(t *testing.T) {
	log := &journal{}
	s, err := NewSupervisor([]Part{
		{Component: &fake{name: "etcd", log: log}},
		{Component: &fake{name: "api", log: log}, After: []string{"etcd"}},
		{Component: &fake{name: "controllers", log: log}, After: []string{"api"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-s.AllReady(); cancel() }()
	if err := s.Run(ctx); err != nil {
		t.Fatalf("a stop that was asked for is no error, got %v", err)
	}
	want := []string{"start etcd", "start api", "start controllers", "stop controllers", "stop api", "stop etcd"}
	if diff := cmp.Diff(want, log.all()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestSupervisorFailedStart(t *testing.T) {
	log := &journal{}
	s, err := NewSupervisor([]Part{
		{Component: &fake{name: "etcd", log: log}},
		{Component: &fake{name: "api", log: log, startErr: errBoom}, After: []string{"etcd"}},
		{Component: &fake{name: "controllers", log: log}, After: []string{"api"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); !errors.Is(err, errBoom) || !strings.HasPrefix(err.Error(), "api: ") {
		t.Errorf("want the part's own error with its name, got %v", err)
	}
	want := []string{"start etcd", "start api", "stop api", "stop etcd"}
	if diff := cmp.Diff(want, log.all()); diff != "" {
		t.Errorf("a half-started part is stopped, a part after it never started (-want +got):\n%s", diff)
	}
}

func TestSupervisorPartThatDies(t *testing.T) {
	t.Run("APP-3 brings everything down when it cannot be restarted, and says why before that", func(t *testing.T) {
		log := &journal{}
		dying := &fake{name: "api", log: log}
		s, err := NewSupervisor([]Part{{Component: dying}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.OnFailure(func(err error) { log.add("reason " + err.Error()) })
		go func() { <-s.AllReady(); dying.end(errBoom) }()
		if err := s.Run(t.Context()); !errors.Is(err, errBoom) {
			t.Errorf("want the reason of the end, got %v", err)
		}
		if entries := log.all(); len(entries) < 2 || !strings.HasPrefix(entries[len(entries)-2], "reason api: ") || !strings.HasPrefix(entries[len(entries)-1], "stop ") {
			t.Errorf("entries are %q", entries)
		}
	})
	t.Run("is started again when it can be", func(t *testing.T) {
		log := &journal{}
		dying := &fake{name: "manager", log: log}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		restarted := make(chan struct{})
		s, err := NewSupervisor([]Part{{Component: dying, Restart: true}}, func(st Status) {
			if st.State == Ready && st.Restarts == 1 {
				close(restarted)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			<-s.AllReady()
			dying.end(errBoom)
			select {
			case <-restarted:
			case <-ctx.Done():
			}
			cancel()
		}()
		if err := s.Run(ctx); err != nil {
			t.Errorf("want a clean stop, got %v", err)
		}
		if got := s.Statuses()[0].Restarts; got != 1 {
			t.Errorf("restarts = %d, want 1; journal %v", got, log.all())
		}
	})
}

func TestNewSupervisorRefuses(t *testing.T) {
	a := &fake{name: "a"}
	for name, parts := range map[string][]Part{
		"two parts of one name":             {{Component: a}, {Component: a}},
		"a part after one that is unknown":  {{Component: a, After: []string{"b"}}},
		"a part listed before its ancestor": {{Component: a, After: []string{"b"}}, {Component: &fake{name: "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := NewSupervisor(parts, nil); err == nil {
				t.Error("want an error")
			}
		})
	}
}

// running runs a supervisor until all parts are ready. stop ends it and expects no error.
func running(t *testing.T, parts []Part, changed func(Status)) (s *Supervisor, stop func()) {
	t.Helper()
	s, err := NewSupervisor(parts, changed)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	<-s.AllReady()
	return s, func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	}
}

func TestOneOfTheParts(t *testing.T) {
	log := &journal{}
	s, stop := running(t, []Part{
		{Component: &fake{name: "api", log: log}},
		{Component: &fake{name: "scheduler", log: log}, After: []string{"api"}, Restart: true, Health: "http://health"},
		{Component: &fake{name: "gate", log: log}, After: []string{"scheduler"}, Fixed: "it holds the door"},
	}, nil)

	t.Run("ARC-1 a part that is stopped stays so, the others go on", func(t *testing.T) {
		if err := s.StopPart(t.Context(), "scheduler"); err != nil {
			t.Fatal(err)
		}
		states := map[string]State{}
		for _, status := range s.Statuses() {
			states[status.Name] = status.State
		}
		if diff := cmp.Diff(map[string]State{"api": Ready, "scheduler": Stopped, "gate": Ready}, states); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if err := s.StopPart(t.Context(), "scheduler"); err != nil {
			t.Errorf("stopped twice: %v", err)
		}
	})
	t.Run("ARC-1 it starts again on request", func(t *testing.T) {
		if err := s.StartPart(t.Context(), "scheduler"); err != nil {
			t.Fatal(err)
		}
		if err := s.StartPart(t.Context(), "scheduler"); err != nil { // is taken up by a part that is ready
			t.Errorf("started twice: %v", err)
		}
		if status := s.Statuses()[1]; status.State != Ready || status.Restarts != 0 || status.Health != "http://health" {
			t.Errorf("status %+v", status)
		}
	})
	t.Run("APP-9 a part that brings everything down when it ends can be stopped, too", func(t *testing.T) {
		if err := s.StopPart(t.Context(), "api"); err != nil {
			t.Fatal(err)
		}
		if status := s.Statuses()[0]; status.State != Stopped || status.NeededBy != "scheduler,gate" {
			t.Errorf("status %+v", status)
		}
		if err := s.StartPart(t.Context(), "api"); err != nil {
			t.Fatal(err)
		}
		if err := s.StartPart(t.Context(), "api"); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("APP-9 a fixed part cannot be stopped alone, and says why", func(t *testing.T) {
		if err := s.StopPart(t.Context(), "gate"); !errors.Is(err, ErrFixedPart) || !strings.Contains(err.Error(), "it holds the door") {
			t.Errorf("error = %v", err)
		}
		if err := s.StopPart(t.Context(), "nobody"); !errors.Is(err, ErrUnknownPart) {
			t.Errorf("error = %v", err)
		}
	})
	stop()
	want := []string{"start api", "start scheduler", "start gate", "stop scheduler", "start scheduler", "stop api", "start api", "stop gate", "stop scheduler", "stop api"}
	if diff := cmp.Diff(want, log.all()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// TestWhatNeedsAStoppedPart stops an etcd, whose API server then ends, although nothing but an order may stop both.
func TestPartsThatDoSomethingOnce(t *testing.T) {
	t.Run("APP-9 a status says that stopping a part undoes nothing", func(t *testing.T) {
		s, err := NewSupervisor([]Part{{Component: NewStep("kinds", nil, nil)}, {Component: &fake{name: "api"}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Statuses(); !got[0].Once || got[1].Once {
			t.Errorf("statuses %+v", got)
		}
	})
}

func TestWhatNeedsAStoppedPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &journal{}
		etcd, api := &fake{name: "etcd", log: log}, &fake{name: "api", log: log}
		seen := make(chan Status, 100)
		s, stop := running(t, []Part{{Component: etcd}, {Component: api, Uses: []string{"etcd"}}}, func(st Status) { seen <- st })
		until := func(is func(Status) bool) {
			for !is(<-seen) {
			}
		}
		if err := s.StopPart(t.Context(), "etcd"); err != nil {
			t.Fatal(err)
		}
		if s.heals(Part{Component: api, Fixed: "it starts once"}) {
			t.Error("APP-9 a part that cannot be started alone would be started again")
		}
		api.end(errBoom)
		until(func(st Status) bool { return st.Name == "api" && st.State == Backoff })
		if err := s.StartPart(t.Context(), "etcd"); err != nil {
			t.Fatal(err)
		}
		until(func(st Status) bool { return st.Name == "api" && st.State == Ready && st.Restarts == 1 })
		synctest.Wait()
		if s.heals(Part{Component: api}) {
			t.Error("APP-9 all parts run again, and the end of one would not stop the others")
		}
		delete(s.lacking, "api")
		stop()
	})
}
