package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// TestDeletionsOfEveryState builds the deletions of shoots with every combination of what a creation may have left. A graph
// checks itself: no step reads the result of a step that is skipped.
func TestDeletionsOfEveryState(t *testing.T) {
	kinds := map[string][]func(*gardencorev1beta1.Shoot){
		"with workers": {deleted}, "workerless": {deleted, workerless},
		"asleep": {deleted, hibernated}, "in a rotation": {deleted, rotating("Completing")},
	}
	for kind, changes := range kinds {
		t.Run("GLT-34 a shoot "+kind+" can be deleted in every state", func(t *testing.T) {
			for bits := range 1 << 7 {
				has := func(bit int) bool { return bits&(1<<bit) != 0 }
				left := facts.Facts{
					NamespaceActive: has(0), APIServerExists: has(1), APIServerRuns: has(2), ControllersExist: has(3),
					InfrastructureExists: has(4), InfrastructureUsable: has(5), ControlPlaneExists: has(6),
				}
				plan := planFor(shootWithWorkers(changes...), left)
				for name, build := range map[string]func() (*graph.Graph, error){"deletion": plan.Delete, "forced deletion": plan.ForceDelete} {
					if _, err := build(); err != nil {
						t.Errorf("%s with %+v: %v", name, left, err)
					}
				}
			}
		})
	}
}

// TestStagesOfTheCleanup checks that no stage can begin before the former one has ended.
func TestStagesOfTheCleanup(t *testing.T) {
	waits := waitsIn(t, planFor(shootWithWorkers(deleted), complete))
	for _, pair := range [][2]string{{CleanAPIs, CleanWebhooks}, {CleanResources, CleanAPIs}, {WorkersDestroy, CleanResources}, {ManagedDelete, CleanResources}} {
		t.Run(fmt.Sprintf("CLN-7 %s waits for %s", pair[0], pair[1]), func(t *testing.T) {
			if !waits(pair[0], pair[1]) {
				t.Error("it does not")
			}
		})
	}
}

// TestOrderOfDeletion checks that the phases of a deletion follow each other.
func TestOrderOfDeletion(t *testing.T) {
	waits := waitsIn(t, planFor(shootWithWorkers(deleted), complete))
	phases := [][]string{
		{CloudProvider}, {Connection}, {AutoscalerDelete, PodAutoscalingDelete, AddonsDelete}, {CleanWebhooks}, {CleanAPIs}, {CleanResources}, {WorkersGone}, {ManagedGone},
		{InfrastructureGone}, {ExternalDNSDestroy}, {APIServerGone}, {EtcdGone}, {BackupEntryDelete}, {InternalDNSDestroy}, {NamespaceGone}, {ShootStateDelete},
	}
	for i := range phases[1:] {
		for _, later := range phases[i+1] {
			for _, earlier := range phases[i] {
				t.Run(fmt.Sprintf("GLT-34 %s waits for %s", later, earlier), func(t *testing.T) {
					if !waits(later, earlier) {
						t.Error("it does not")
					}
				})
			}
		}
	}
}

// TestSkippedCleanup checks what remains of the clean-up when a user skips it.
func TestSkippedCleanup(t *testing.T) {
	skips := func(shoot *gardencorev1beta1.Shoot) {
		shoot.Annotations = map[string]string{constants.ShootSkipCleanup: "true"}
	}
	order, err := planFor(shootWithWorkers(deleted, skips), complete).Delete()
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{CleanWebhooks, CleanAPIs, CleanResources} {
		t.Run("CLN-4 a user who skips the clean-up does not skip "+stage, func(t *testing.T) {
			for line := range strings.Lines(order.String()) {
				if strings.Contains(line, " "+stage+" <- ") && !strings.HasPrefix(line, "-") {
					return
				}
			}
			t.Error("the stage is skipped")
		})
	}
}

// waitsIn returns a function that tells whether a step of the deletion can begin only after another one has ended.
func waitsIn(t *testing.T, plan *Plan) func(name, before string) bool {
	t.Helper()
	order, err := plan.Delete()
	if err != nil {
		t.Fatal(err)
	}
	after := map[string][]string{}
	for line := range strings.Lines(order.String()) {
		name, predecessors, _ := strings.Cut(strings.TrimSpace(line), " <- ")
		_, name, _ = strings.Cut(strings.TrimLeft(name, "- "), " ") // without its mark and its round
		after[name] = strings.Split(predecessors, " | ")
	}
	known := map[[2]string]bool{}
	var waits func(name, before string) bool
	waits = func(name, before string) bool {
		key := [2]string{name, before}
		if answer, found := known[key]; found {
			return answer
		}
		for _, predecessor := range after[name] {
			if predecessor == before || waits(predecessor, before) {
				known[key] = true
				return true
			}
		}
		known[key] = false
		return false
	}
	return waits
}
