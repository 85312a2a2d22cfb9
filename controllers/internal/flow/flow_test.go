package flow_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/internal/flow"
)

var errBoom = errors.New("boom")

func nothing(context.Context) error { return nil }

func TestNew(t *testing.T) {
	for name, tc := range map[string]struct {
		steps []flow.Step
		want  string // part of the error, empty for none
	}{
		"a chain is accepted": {steps: []flow.Step{{Name: "a", Do: nothing}, {Name: "b", After: []string{"a"}, Do: nothing}}},
		"a predecessor may be given later": {
			steps: []flow.Step{{Name: "b", After: []string{"a"}, Do: nothing}, {Name: "a", Do: nothing}},
		},
		"an unknown predecessor is refused": {
			steps: []flow.Step{{Name: "a", After: []string{"x"}, Do: nothing}},
			want:  `comes after the unknown step "x"`,
		},
		"two steps of one name are refused": {
			steps: []flow.Step{{Name: "a", Do: nothing}, {Name: "a", Do: nothing}},
			want:  `two steps "a"`,
		},
		"a cycle is refused": {
			steps: []flow.Step{{Name: "a", After: []string{"b"}, Do: nothing}, {Name: "b", After: []string{"a"}, Do: nothing}, {Name: "c", Do: nothing}},
			want:  "cycle through: a, b",
		},
		"a step without work is refused":   {steps: []flow.Step{{Name: "a"}}, want: "does nothing"},
		"a step without a name is refused": {steps: []flow.Step{{Do: nothing}}, want: "without a name"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := flow.New("test", tc.steps...)
			if tc.want == "" && err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Fatalf("error is %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestRunKeepsTheOrder(t *testing.T) {
	var lock sync.Mutex
	var order []string
	note := func(name string) func(context.Context) error {
		return func(context.Context) error {
			lock.Lock()
			defer lock.Unlock()
			order = append(order, name)
			return nil
		}
	}
	graph, err := flow.New("test",
		flow.Step{Name: "c", After: []string{"b"}, Do: note("c")},
		flow.Step{Name: "b", After: []string{"a"}, Do: note("b"), Skip: true},
		flow.Step{Name: "a", Do: note("a")},
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := graph.Run(t.Context(), flow.Options{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "c"}, order); diff != "" {
		t.Errorf("a skipped step should count as finished (-want +got):\n%s", diff)
	}
}

func TestRunStartsIndependentStepsTogether(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	meet := func(ctx context.Context) error {
		both.Done()
		met := make(chan struct{})
		go func() { both.Wait(); close(met) }()
		select {
		case <-ctx.Done():
			return errBoom
		case <-met:
			return nil
		}
	}
	graph, err := flow.New("test", flow.Step{Name: "a", Do: meet, Timeout: 10 * time.Second}, flow.Step{Name: "b", Do: meet, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := graph.Run(t.Context(), flow.Options{}); err != nil {
		t.Fatal(err)
	}
}

func TestRunAFailureHoldsBackOnlySuccessors(t *testing.T) {
	var after, beside atomic.Bool
	graph, err := flow.New("test",
		flow.Step{Name: "bad", Do: func(context.Context) error { return errBoom }},
		flow.Step{Name: "after bad", After: []string{"bad"}, Do: func(context.Context) error { after.Store(true); return nil }},
		flow.Step{Name: "beside", Do: nothing},
		flow.Step{Name: "after beside", After: []string{"beside"}, Do: func(context.Context) error { beside.Store(true); return nil }},
		flow.Step{Name: "worse", Do: func(context.Context) error { panic("lost") }},
	)
	if err != nil {
		t.Fatal(err)
	}
	err = graph.Run(t.Context(), flow.Options{})
	if !errors.Is(err, errBoom) {
		t.Errorf("the cause got lost: %v", err)
	}
	var tasks []string
	for _, task := range flow.TaskErrors(err) {
		tasks = append(tasks, task.Task)
	}
	if diff := cmp.Diff([]string{"bad", "worse"}, tasks); diff != "" {
		t.Errorf("failed tasks (-want +got):\n%s", diff)
	}
	if after.Load() || !beside.Load() {
		t.Errorf("successor of the failed step ran: %v, of the other: %v", after.Load(), beside.Load())
	}
}

func TestRunRetries(t *testing.T) {
	for name, tc := range map[string]struct {
		step     flow.Step
		failures int32
		err      error
		want     int32
		wantErr  bool
	}{
		"until it succeeds":           {step: flow.Step{Retry: time.Millisecond}, failures: 2, err: errBoom, want: 3},
		"not without a pause given":   {failures: 1, err: errBoom, want: 1, wantErr: true},
		"not after a permanent error": {step: flow.Step{Retry: time.Millisecond}, failures: 9, err: flow.Permanent(errBoom), want: 1, wantErr: true},
		"not after the timeout":       {step: flow.Step{Retry: time.Minute, Timeout: 10 * time.Millisecond}, failures: 9, err: errBoom, want: 1, wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			tc.step.Name = "step"
			tc.step.Do = func(context.Context) error {
				if calls.Add(1) <= tc.failures {
					return tc.err
				}
				return nil
			}
			graph, err := flow.New("test", tc.step)
			if err != nil {
				t.Fatal(err)
			}
			err = graph.Run(t.Context(), flow.Options{})
			if tc.wantErr != errors.Is(err, errBoom) || calls.Load() != tc.want {
				t.Errorf("error %v after %d calls, want error %v after %d", err, calls.Load(), tc.wantErr, tc.want)
			}
		})
	}
}

func TestRunReportsProgress(t *testing.T) {
	reported := make(chan flow.Progress)
	var got []flow.Progress
	wait := make(chan struct{})
	graph, err := flow.New("Shoot cluster reconciliation",
		flow.Step{Name: "one", Do: func(context.Context) error { <-wait; return nil }},
		flow.Step{Name: "two", After: []string{"one"}, Skip: true},
	)
	if err != nil {
		t.Fatal(err)
	}
	finished := make(chan error, 1)
	go func() {
		finished <- graph.Run(t.Context(), flow.Options{Progress: func(_ context.Context, p flow.Progress) { reported <- p }})
		close(reported)
	}()
	for progress := range reported {
		got = append(got, progress)
		if progress.Description == "one" {
			close(wait)
		}
	}
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
	// The start may have been replaced by the first running step before it was reported.
	if got[0].Description == "Starting Shoot cluster reconciliation" {
		got = got[1:]
	}
	want := []flow.Progress{{Percent: 0, Description: "one"}, {Percent: 100, Description: "Shoot cluster reconciliation finished"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	graph, err := flow.New("test",
		flow.Step{Name: "a", Do: func(context.Context) error { cancel(); return nil }},
		flow.Step{Name: "b", After: []string{"a"}, Do: nothing},
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := graph.Run(ctx, flow.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want the one of the context", err)
	}
}

func TestRunDoesNotPauseAfterItsLastReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		graph, err := flow.New("test", flow.Step{Name: "a", Do: nothing})
		if err != nil {
			t.Fatal(err)
		}
		var last flow.Progress
		begin := time.Now()
		if err := graph.Run(t.Context(), flow.Options{ProgressPeriod: time.Hour, Progress: func(_ context.Context, p flow.Progress) { last = p }}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 0 || last.Percent != 100 {
			t.Errorf("it took %s, and the last report is %+v", took, last)
		}
	})
}
