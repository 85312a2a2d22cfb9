package owner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// record is a Resolver. Each element of answers is given once, the last one for ever.
type record struct {
	clock   *clocktesting.FakeClock
	answers [][]string // nil: there is no record
	asked   []time.Duration
	names   map[string]bool
	begin   time.Time
}

// silence as an answer means that there is none.
var silence = []string{"", "no answer"}

func (r *record) LookupTXT(_ context.Context, name string) ([]string, error) {
	r.names[name] = true
	r.asked = append(r.asked, r.clock.Since(r.begin))
	answer := r.answers[0]
	if len(r.answers) > 1 {
		r.answers = r.answers[1:]
	}
	if answer == nil {
		return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
	}
	if slices.Equal(answer, silence) {
		return nil, &net.DNSError{Err: "connection refused", IsTemporary: true}
	}
	return answer, nil
}

func check(answers ...[]string) (Check, *record) {
	begin := time.Unix(0, 0)
	clock := &clocktesting.FakeClock{}
	clock.SetTime(begin)
	r := &record{clock: clock, answers: answers, names: map[string]bool{}, begin: begin}
	return Check{Name: "owner.sun.internal", ID: "earth", Interval: 30 * time.Second, Timeout: 2 * time.Minute, Resolver: r, Clock: clock}, r
}

// lost runs Lost and moves the clock on whenever it waits.
func lost(t *testing.T, c Check, r *record) (Answer, error) {
	t.Helper()
	type result struct {
		answer Answer
		err    error
	}
	done := make(chan result, 1)
	go func() {
		answer, err := c.Lost(t.Context())
		done <- result{answer, err}
	}()
	for {
		select {
		case got := <-done:
			return got.answer, got.err
		default:
		}
		if r.clock.HasWaiters() {
			r.clock.Step(time.Second)
		}
	}
}

func TestAsk(t *testing.T) {
	for name, tc := range map[string]struct {
		values []string
		want   Answer
	}{
		"the record names the expected owner": {[]string{"earth"}, Self},
		"the record names another one":        {[]string{"moon"}, Other},
		"the record cannot be resolved":       {nil, Unknown},
		"the record is empty":                 {[]string{}, Unknown},
		"the record names two":                {[]string{"earth", "moon"}, Unknown},
		"no name server answers":              {silence, Unknown},
	} {
		t.Run("MIG-14 "+name, func(t *testing.T) {
			c, r := check(tc.values)
			got, err := c.Ask(t.Context())
			if got != tc.want || (err != nil) != (tc.want == Unknown) {
				t.Errorf("answer %s, error %v, want %s", got, err, tc.want)
			}
			if !r.names["owner.sun.internal."] {
				t.Errorf("asked for %v, want the name as it is", r.names)
			}
		})
	}
}

// notes are those of the members of an etcd.
type notes struct {
	all   []string
	write int
}

func (n *notes) Heard(context.Context) []string { return slices.Clone(n.all) }

func (n *notes) Tell(_ context.Context, known []string) {
	if !slices.ContainsFunc(known, func(note string) bool { return strings.HasSuffix(note, "own") }) {
		n.leave("own")
	}
}

func (n *notes) leave(by string) {
	n.write++
	n.all = append(n.all, fmt.Sprint(n.write, by))
}

func (n *notes) Forget(_ context.Context, some []string) {
	n.all = slices.DeleteFunc(n.all, func(note string) bool { return slices.Contains(some, note) })
}

// asker calls a function before it asks.
type asker struct {
	Resolver
	before func()
}

func (a asker) LookupTXT(ctx context.Context, name string) ([]string, error) {
	a.before()
	return a.Resolver.LookupTXT(ctx, name)
}

func TestOthers(t *testing.T) {
	self, other := []string{"earth"}, []string{"moon"}
	for name, tc := range map[string]struct {
		answers   [][]string
		notes     int // that there are
		meanwhile int // notes that another member leaves while this one asks
		want      Answer
		left      int
	}{
		"another owner is told to the others":                            {answers: [][]string{other}, want: Other, left: 1},
		"it is told beside notes of others, which may be older":          {answers: [][]string{other}, notes: 1, want: Other, left: 2},
		"what others have heard counts while no name server answers":     {answers: [][]string{silence}, notes: 2, want: Other, left: 2},
		"without notes the last answer counts":                           {answers: [][]string{silence}, want: Unknown},
		"the owner makes notes void that are older than its answer":      {answers: [][]string{self}, notes: 2, want: Self},
		"a note that may be newer than the answer stays":                 {answers: [][]string{self}, notes: 1, meanwhile: 1, want: Self, left: 1},
		"an answer that there is no record makes no note, and none void": {answers: [][]string{nil}, notes: 1, want: Unknown, left: 1},
	} {
		t.Run("MIG-14 "+name, func(t *testing.T) {
			c, r := check(tc.answers...)
			shared := &notes{}
			leave := func(n int) {
				for range n {
					shared.leave("other")
				}
			}
			leave(tc.notes)
			c.Keep, c.Others, c.Resolver = true, shared, asker{r, func() { leave(tc.meanwhile) }}
			if got, _ := c.Ask(t.Context()); got != tc.want || len(shared.all) != tc.left {
				t.Errorf("answer %s, want %s; notes %v, want %d", got, tc.want, shared.all, tc.left)
			}
		})
	}
	t.Run("MIG-14 a member that hears nothing stops when another one has heard of another owner", func(t *testing.T) {
		c, r := check(self, silence)
		shared := &notes{}
		c.Keep, c.Others, c.Resolver = true, shared, asker{r, func() {
			if len(r.asked) == 5 {
				shared.leave("other")
			}
		}}
		if got, err := lost(t, c, r); got != Other || err != nil || len(r.asked) != 7 {
			t.Errorf("answer %s, error %v, after %d questions", got, err, len(r.asked))
		}
	})
	t.Run("MIG-14 each member tells it once", func(t *testing.T) {
		c, _ := check(other)
		shared := &notes{}
		c.Keep, c.Others = true, shared
		for range 2 {
			if got, err := c.Ask(t.Context()); got != Other || err != nil || len(shared.all) != 1 {
				t.Errorf("answer %s, error %v, notes %v", got, err, shared.all)
			}
		}
	})
	t.Run("MIG-14 where silence counts, members do not tell each other", func(t *testing.T) {
		c, _ := check(other)
		shared := &notes{}
		c.Others = shared
		if got, err := c.Ask(t.Context()); got != Other || err != nil || len(shared.all) > 0 {
			t.Errorf("answer %s, error %v, notes %v", got, err, shared.all)
		}
	})
}

func TestLost(t *testing.T) {
	self := []string{"earth"}
	t.Run("MIG-14 the owner is checked every 30 seconds, until it is another one", func(t *testing.T) {
		c, r := check(self, self, []string{"moon"})
		if got, err := lost(t, c, r); got != Other || err != nil {
			t.Errorf("answer %s, error %v", got, err)
		}
		for i, at := range []time.Duration{30, 60, 90} {
			if i >= len(r.asked) || r.asked[i] < at*time.Second || r.asked[i] > (at+5)*time.Second {
				t.Fatalf("asked at %v", r.asked)
			}
		}
	})
	t.Run("MIG-23 a record that cannot be resolved is lost after two minutes, not before", func(t *testing.T) {
		c, r := check(self, nil)
		got, err := lost(t, c, r)
		if got != Unknown || err == nil {
			t.Errorf("answer %s, error %v", got, err)
		}
		if last := r.asked[len(r.asked)-1]; last < 3*time.Minute || last > 4*time.Minute {
			t.Errorf("asked last after %s", last)
		}
	})
	t.Run("MIG-23 a short interruption is no loss", func(t *testing.T) {
		c, r := check(nil, nil, self, []string{"moon"})
		if got, err := lost(t, c, r); got != Other || err != nil || len(r.asked) != 4 {
			t.Errorf("answer %s, error %v, asked at %v", got, err, r.asked)
		}
	})
	t.Run("MIG-24 it is asked for at once when somebody wants that", func(t *testing.T) {
		now := make(chan struct{}, 1)
		now <- struct{}{}
		c, r := check([]string{"moon"})
		c.Now = now
		if got, err := c.Lost(t.Context()); got != Other || err != nil || len(r.asked) != 1 { // nobody moves the clock on
			t.Errorf("answer %s, error %v, asked at %v", got, err, r.asked)
		}
	})
	t.Run("MIG-14 silence of the name server is lost after two minutes, where it counts", func(t *testing.T) {
		c, r := check(self, silence)
		if got, err := lost(t, c, r); got != Unknown || !errors.Is(err, ErrSilent) {
			t.Errorf("answer %s, error %v", got, err)
		}
	})
	t.Run("MIG-14 where the last answer is kept, silence is no loss, however long, and another owner is one at once", func(t *testing.T) {
		answers := [][]string{self}
		for range 1000 {
			answers = append(answers, silence)
		}
		c, r := check(append(answers, []string{"moon"})...)
		c.Keep = true
		if got, err := lost(t, c, r); got != Other || err != nil || len(r.asked) != 1002 {
			t.Errorf("answer %s, error %v, after %d questions", got, err, len(r.asked))
		}
		if every := (r.asked[1001] - r.asked[1]) / 1000; every < 30*time.Second || every > 32*time.Second {
			t.Errorf("asked every %s", every)
		}
	})
	t.Run("MIG-14 MIG-23 where the last answer is kept, a record that is missing is lost all the same", func(t *testing.T) {
		c, r := check(self, silence, nil)
		c.Keep = true
		if got, err := lost(t, c, r); got != Unknown || errors.Is(err, ErrSilent) {
			t.Errorf("answer %s, error %v", got, err)
		}
	})
	t.Run("the end of the process is no loss", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c, _ := check([]string{"moon"})
		if got, err := c.Lost(ctx); got != Self || err != nil {
			t.Errorf("answer %s, error %v", got, err)
		}
	})
}

func TestValidate(t *testing.T) {
	for name, change := range map[string]func(*Check){
		"no ID":       func(c *Check) { c.ID = "" },
		"no interval": func(c *Check) { c.Interval = 0 },
		"no timeout":  func(c *Check) { c.Timeout = 0 },
	} {
		c, _ := check(nil)
		if err := c.Validate(); err != nil {
			t.Errorf("a complete check: %v", err)
		}
		if change(&c); c.Validate() == nil {
			t.Errorf("a check with %s is valid", name)
		}
	}
	if err := (Check{}).Validate(); err != nil {
		t.Errorf("no check: %v", err)
	}
}
