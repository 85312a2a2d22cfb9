package flow

import (
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// givenAway are the facts that a step of a migration makes true.
var givenAway = map[string]func(*facts.Facts){
	OwnerDNSMigrate: func(f *facts.Facts) { f.Owner = facts.OwnerElsewhere },
	DNSReleased:     func(f *facts.Facts) { f.Owner = facts.OwnerGone },
	EtcdDestroy:     func(f *facts.Facts) { f.EtcdExists = false },
	NamespaceDelete: func(f *facts.Facts) { f.NamespaceActive = false },
}

// TestAbortedMigrations aborts a migration after each of its steps, with and without those that run beside it. The next attempt must do all that
// is left, whatever it finds in the seed.
func TestAbortedMigrations(t *testing.T) {
	for kind, tc := range map[string]struct {
		owner   facts.Owner
		changes []func(*gardencorev1beta1.Shoot)
	}{
		"with workers":                         {facts.OwnerHere, nil},
		"without workers":                      {facts.OwnerHere, []func(*gardencorev1beta1.Shoot){workerless}},
		"on a seed that does not check owners": {facts.OwnerUnchecked, nil},
	} {
		begin := facts.Facts{NamespaceActive: true, EtcdExists: true, APIServerExists: true, APIServerRuns: true, Owner: tc.owner}
		migration := stepsOf(t, planFor(shootWithWorkers(tc.changes...), begin).Migrate)
		for i, last := range migration {
			if last.skipped {
				continue
			}
			t.Run("MIG-3 MIG-25 a shoot "+kind+" whose migration ended with "+last.name, func(t *testing.T) {
				t.Run("and everything that may run before it", func(t *testing.T) { goOn(t, begin, migration, migration[:i+1], tc.changes) })
				t.Run("and only what must run before it", func(t *testing.T) {
					goOn(t, begin, migration, needed(migration, last.name), tc.changes)
				})
			})
		}
	}
}

// goOn checks that an attempt after some steps leaves out none of the others.
func goOn(t *testing.T, found facts.Facts, all, done []line, changes []func(*gardencorev1beta1.Shoot)) {
	t.Helper()
	was := map[string]bool{}
	for _, step := range done {
		was[step.name] = true
		if learn := givenAway[step.name]; learn != nil && !step.skipped && (step.name != OwnerDNSMigrate && step.name != DNSReleased || found.Owner != facts.OwnerUnchecked) {
			learn(&found)
		}
	}
	runs := map[string]bool{}
	for _, step := range stepsOf(t, planFor(shootWithWorkers(changes...), found).Migrate) {
		runs[step.name] = !step.skipped
	}
	for _, step := range all {
		if !step.skipped && !was[step.name] && !runs[step.name] {
			t.Errorf("with %+v the next attempt leaves out %q", found, step.name)
		}
	}
	if found.EtcdExists && !runs[FinalSnapshot] {
		t.Errorf("with %+v the next attempt does not see to the final snapshot", found)
	}
}
