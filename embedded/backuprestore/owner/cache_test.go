package owner

import (
	"testing"
	"time"
)

func TestCached(t *testing.T) {
	c, r := check([]string{"earth"}, nil, []string{"moon"})
	c.Resolver = Cached(r, time.Minute, c.Clock)
	ask := func(t *testing.T, want Answer, questions int) {
		t.Helper()
		if got, err := c.Ask(t.Context()); got != want || len(r.asked) != questions {
			t.Errorf("answer %s after %d questions, want %s after %d; error %v", got, len(r.asked), want, questions, err)
		}
	}
	t.Run("MIG-14 an answer is used again for its time", func(t *testing.T) {
		ask(t, Self, 1)
		r.clock.Step(time.Minute - 1)
		ask(t, Self, 1)
	})
	t.Run("MIG-14 it is asked for again after its time, and failures are not kept", func(t *testing.T) {
		r.clock.Step(1)
		ask(t, Unknown, 2)
		ask(t, Other, 3)
		ask(t, Other, 3)
	})
	t.Run("MIG-14 without a time every check asks", func(t *testing.T) {
		if Cached(r, 0, c.Clock) != Resolver(r) {
			t.Error("answers are kept")
		}
	})
}
