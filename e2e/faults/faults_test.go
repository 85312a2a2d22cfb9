package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// kills is how often the daemon is killed while one shoot is created.
func kills(t *testing.T) int {
	t.Helper()
	text := os.Getenv("GARDENER_TEST_KILLS") // make soak
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("GARDENER_TEST_KILLS is %q, want a number from 1", text)
	}
	return n
}

// TestKilledDaemon kills the daemon while a shoot is created, and then breaks processes of the shoot and of a further seed in the same landscape.
func TestKilledDaemon(t *testing.T) {
	rounds := kills(t)
	l := framework.New(t)
	l.Gardener("up")
	l.Kubectl(l.Garden(), "apply", "-f", framework.Examples())
	seed := rand.Uint64()
	t.Logf("random seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	log := startWriter(t, l)
	for n := range rounds {
		log.writesOn(t)
		moments[n%len(moments)](t, l, time.Duration(random.IntN(4000))*time.Millisecond)
		l.Eventually(time.Minute, "all processes die with the daemon", func() (bool, string) {
			left := l.Processes()
			return len(left) == 0, fmt.Sprint(left)
		})
		l.Gardener("up")
	}
	t.Run("APP-3 what was acknowledged is there", func(t *testing.T) { log.check(t) })
	t.Run("GLT-36 the shoot becomes ready", func(t *testing.T) {
		l.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	})
	t.Run("APP-3 nothing is duplicated or lost", func(t *testing.T) {
		shoot := l.Shoot("garden-local", "local")
		if nodes := strings.Fields(l.Kubectl(shoot, "get", "nodes", "-o", "name")); len(nodes) != 1 {
			t.Errorf("nodes %v, want one", nodes)
		}
		if machines := strings.Fields(l.Kubectl(l.Seed(), "get", "machines", "-A", "-o", "name")); len(machines) != 1 {
			t.Errorf("machines %v, want one", machines)
		}
		checkProcesses(t, l)
	})
	killAPIServerOfAShoot(t, l)
	hangSeed(t, l)
}

// moments are those at which the daemon is killed. Sleeps are right here: whatever the daemon does, it is killed at a random time.
var moments = []func(t *testing.T, l *framework.Landscape, after time.Duration){
	func(t *testing.T, l *framework.Landscape, after time.Duration) { // while it runs
		time.Sleep(after)
		if !kill(t, l) {
			t.Fatal("no daemon")
		}
	},
	func(t *testing.T, l *framework.Landscape, after time.Duration) { // while it stops, which takes a third of the time of a start
		killDuring(t, l, after/3, "down")
	},
	func(t *testing.T, l *framework.Landscape, after time.Duration) { // while it starts
		kill(t, l)
		killDuring(t, l, after, "up")
	},
}

// killDuring kills the daemon some time after a command has begun, and waits for the command, which may have been faster.
func killDuring(t *testing.T, l *framework.Landscape, after time.Duration, command string) {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := l.Exec(context.Background(), command)
		ended <- err
	}()
	time.Sleep(after)
	kill(t, l)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	kill(t, l) // a daemon that began later
}

// kill kills the daemon, if there is one.
func kill(t *testing.T, l *framework.Landscape) bool {
	t.Helper()
	pid := l.Daemon()
	if pid == 0 {
		return false
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
	return true
}

// checkProcesses expects exactly one process for each running container of the control plane.
func checkProcesses(t *testing.T, l *framework.Landscape) {
	t.Helper()
	want := map[string]int{"backup-restore": 2, "kube-apiserver": 1, "kube-controller-manager": 1, "kube-scheduler": 1, "resource-manager": 1, "machine-controller-manager": 1, "kubelet": 1}
	l.For(t).Eventually(time.Minute, fmt.Sprint("the processes are ", want), func() (bool, string) {
		count := map[string]int{}
		for _, text := range l.Processes() {
			if _, after, found := strings.Cut(text, " component "); found {
				count[strings.Fields(after)[0]]++
			}
		}
		for name, n := range want {
			if count[name] != n {
				return false, fmt.Sprintf("%d processes of %s, want %d; all: %v", count[name], name, n, count)
			}
		}
		return true, ""
	})
}

// killAPIServerOfAShoot stops processes of a shoot for a while, and then kills its API server.
func killAPIServerOfAShoot(t *testing.T, l *framework.Landscape) {
	shoot := l.Shoot("garden-local", "local")
	l.Kubectl(shoot, "create", "configmap", "kept")
	hungProcesses(t, l)

	pid := 0
	for candidate, text := range l.Processes() {
		if strings.Contains(text, " component kube-apiserver") {
			pid = candidate
		}
	}
	if pid == 0 {
		t.Fatal("no process of the shoot's kube-apiserver")
	}
	before := restarts(t, l)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	l.Eventually(time.Minute, "the kubelet starts it again", func() (bool, string) {
		r := l.TryKubectl(shoot, "get", "configmap", "kept", "-o", "name", "--request-timeout=10s")
		return strings.Contains(r.Stdout, "configmap/kept"), r.Stderr
	})
	l.Eventually(time.Minute, "the restart is counted", func() (bool, string) {
		after := restarts(t, l)
		return after > before, fmt.Sprint(after, " as before")
	})
	pod := l.Kubectl(l.Seed(), "-n", "shoot--local--local", "get", "pods", "-l", "role=apiserver", "-o", "name")
	l.Eventually(time.Minute, "there is a log of the process that was killed", func() (bool, string) {
		r := l.TryKubectl(l.Seed(), "-n", "shoot--local--local", "logs", "--previous", "--tail=1", strings.TrimSpace(pod))
		return r.Code == 0 && r.Stdout != "", r.Stderr
	})
	t.Run("GLT-39 the shoot is healthy again", func(t *testing.T) {
		l.Gardener("shoot", "wait", "local", "-n", "garden-local", "--timeout=10m")
	})
}

// restarts is how often the API server of the shoot has been started again.
func restarts(t *testing.T, l *framework.Landscape) int {
	t.Helper()
	text := l.Kubectl(l.Seed(), "-n", "shoot--local--local", "get", "pods", "-l", "role=apiserver", "-o", "jsonpath={.items[0].status.containerStatuses[0].restartCount}")
	count, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return count
}
