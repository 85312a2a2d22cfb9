package flow

import (
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// TestAbortedRestorations aborts a restoration after each of its steps, with and without those that run beside it. The next attempt must do all of it again,
// whatever it finds in the seed: each step knows itself what is done.
func TestAbortedRestorations(t *testing.T) {
	for kind, tc := range map[string]struct {
		change func(*gardencorev1beta1.Shoot)
		asleep bool
	}{
		"with workers":    {func(*gardencorev1beta1.Shoot) {}, false},
		"without workers": {workerless, false},
		"that sleeps":     {hibernated, true},
	} {
		next := func(found facts.Facts) []line {
			return stepsOf(t, New(Config{Operation: on(earth(), shootWithWorkers(tc.change)), Restored: &gardencorev1beta1.ShootState{}, Facts: found}).Reconcile)
		}
		restoration := next(facts.Facts{})
		for i, last := range restoration {
			if last.skipped {
				continue
			}
			t.Run("MIG-4 a shoot "+kind+" whose restoration ended with "+last.name, func(t *testing.T) {
				for how, done := range map[string][]line{
					"and everything that may run before it": restoration[:i+1], "and only what must run before it": needed(restoration, last.name),
				} {
					t.Run(how, func(t *testing.T) { repeated(t, restoration, next(foundAfter(done, tc.asleep))) })
				}
			})
		}
	}
}

// foundAfter are the facts after some steps of a restoration. The API server of a shoot that sleeps has no replicas.
func foundAfter(done []line, asleep bool) (found facts.Facts) {
	for _, step := range done {
		if learn := learned[step.name]; learn != nil && !step.skipped {
			learn(&found)
		}
	}
	found.APIServerRuns = found.APIServerRuns && !asleep
	if found.EtcdExists {
		found.Owner = facts.OwnerHere
	}
	return found
}

func repeated(t *testing.T, first, next []line) {
	t.Helper()
	runs := map[string]bool{}
	for _, step := range next {
		runs[step.name] = !step.skipped
	}
	for _, step := range first {
		if runs[step.name] == step.skipped {
			t.Errorf("step %q is left out at first: %t, and in the next attempt: %t", step.name, step.skipped, !runs[step.name])
		}
	}
}
