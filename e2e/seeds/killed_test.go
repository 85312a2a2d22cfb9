package seeds

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// migrationKills is how many migrations are killed.
func migrationKills(t *testing.T) int {
	t.Helper()
	const variable, inCI = "GARDENER_TEST_KILLS", 1
	text := os.Getenv(variable) // make soak
	if text == "" {
		return inCI
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number from 1", variable, text)
	}
	return n
}

// halves are the operations of a migration in their order.
var halves = []string{"Migrate", "Restore"}

// interruptedTogether moves the control plane of shoot chosen from seed to seed. It kills the daemon in the middle of each move, and with it the garden and
// both seeds. They come back, and the move ends with all data. After an odd number of moves the shoot is on seed local.
func interruptedTogether(t *testing.T, l *framework.Landscape) {
	shoot := l.File("chosen.yaml", l.Gardener("kubeconfig", "shoot", "chosen", "-n", garden))
	authority := l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "chosen.ca-cluster", "-o", caOfShoot)
	node := l.Kubectl(shoot, "get", "nodes", "-o", theNode)
	kills, to := migrationKills(t), "local"
	rounds := (kills + 1) / len(halves)
	for i := range kills {
		half, percent := halves[i%len(halves)], 100*(2*(i/len(halves))+1)/(2*rounds) // 50 in CI
		l.Kubectl(shoot, "create", "configmap", fmt.Sprintf("acknowledged-%d", i))
		l.Gardener("shoot", "migrate", "chosen", "-n", garden, "--to", to, "--wait=false")
		killAt(t, l, to, half, percent)
		l.Gardener("up")
		l.Eventually(2*patience, "MIG-25 the migration that was killed ends on seed "+to, func() (bool, string) {
			said := l.Kubectl(l.Garden(), "-n", garden, "get", "shoot", "chosen", "-o", "jsonpath={.status.seedName} {.status.lastOperation.state} {.status.migrationStartTime} {.status.lastOperation.type} {.status.lastOperation.description}")
			return strings.HasPrefix(said, to+" Succeeded  "), said
		})
		l.Gardener("shoot", "wait", "chosen", "-n", garden, "--timeout="+(2*patience).String())
		for n := range i + 1 {
			l.Kubectl(shoot, "get", "configmap", fmt.Sprintf("acknowledged-%d", n))
		}
		if got := l.Kubectl(l.Garden(), "-n", garden, "get", "secret", "chosen.ca-cluster", "-o", caOfShoot); got != authority {
			t.Error("MIG-6 the shoot has another authority")
		}
		if got := l.Kubectl(shoot, "get", "nodes", "-o", theNode); got != node {
			t.Errorf("MIG-5 nodes were %q, and are %q", node, got)
		}
		l.Kubectl(shoot, "wait", "node", "--all", "--for=condition=Ready", "--timeout=10m")
		to = map[string]string{"local": "two", "two": "local"}[to]
	}
}

// killAt kills the daemon when a migration to a seed has come to a percentage of one of its operations, or further.
func killAt(t *testing.T, l *framework.Landscape, to, half string, percent int) {
	t.Helper()
	said := ""
	l.Eventually(2*patience, fmt.Sprintf("the migration to seed %s has come to %d %% of %s", to, percent, half), func() (bool, string) {
		said = l.Kubectl(l.Garden(), "-n", garden, "get", "shoot", "chosen", "-o", "jsonpath={.status.lastOperation.type} {.status.lastOperation.progress} {.status.seedName} {.status.lastOperation.state} {.status.lastOperation.description}")
		var operation, seed string
		var progress int
		_, _ = fmt.Sscan(said, &operation, &progress, &seed) // the last operation before was another migration, maybe
		if half == halves[0] {
			return operation == half && progress >= percent || seed == to, said
		}
		return seed == to && (operation != half || progress >= percent), said
	})
	t.Logf("killed at %s", said)
	if err := syscall.Kill(l.Daemon(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.Eventually(2*time.Minute, "all processes die with the daemon", func() (bool, string) {
		left := l.Processes()
		return len(left) == 0, fmt.Sprint(left)
	})
}
