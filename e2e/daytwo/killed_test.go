package daytwo

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// killsVariable of the environment has the number of creations that TestKilledCreations kills.
const killsVariable = "GARDENER_TEST_KILLS"

// TestKilledCreations creates shoots with a worker one after the other. It kills the daemon in the middle of each creation, every time a bit later, starts it
// again and deletes the shoot at once. It takes half a minute for each.
func TestKilledCreations(t *testing.T) {
	text := os.Getenv(killsVariable)
	if text == "" {
		t.Skipf("not asked for: %s says how many (make soak)", killsVariable)
	}
	count, err := strconv.Atoi(text)
	if err != nil || count < 1 {
		t.Fatalf("%s is %q, want a number from 1", killsVariable, text)
	}
	l := framework.New(t)
	l.Gardener("up")
	for i := range count {
		moment := i * 100 / count
		t.Run(fmt.Sprintf("GLT-34 a shoot whose creation was killed at %d %% is deleted (%d)", moment, i+1), func(t *testing.T) {
			killCreation(t, l.For(t), fmt.Sprintf("killed-%d", i+1), moment)
		})
	}
	nothingLeft(l, "killed-")
}

// killCreation kills the daemon when the creation of a shoot has come to a percentage, and deletes the shoot afterwards.
func killCreation(t *testing.T, l *framework.Landscape, name string, moment int) {
	l.Kubectl(l.Garden(), "create", "-f", l.File(name+".yaml", fmt.Sprintf(withWorker, name, kubeversion.Number)))
	l.Eventually(4*time.Minute, fmt.Sprintf("the creation has come to %d %%", moment), func() (bool, string) {
		state := l.Kubectl(l.Garden(), "-n", project, "get", "shoot", name, "-o", "jsonpath={.status.lastOperation.progress}")
		progress, _ := strconv.Atoi(state) // none before the gardenlet begins
		return progress >= moment, state
	})
	kill(t, l)
	remove(l, name)
	awaitGone(l, 8*time.Minute, name)
}

// nothingLeft waits until the garden has nothing of shoots whose names have a prefix.
func nothingLeft(l *framework.Landscape, prefix string) {
	for _, kind := range []string{"backupentries", "shootstates", "internalsecrets", "secrets"} {
		l.Eventually(time.Minute, kind+" are gone from the garden", func() (bool, string) { // backup entries go by themselves
			left := l.Kubectl(l.Garden(), "-n", project, "get", kind, "-o", "name")
			return !strings.Contains(left, prefix), left
		})
	}
}
