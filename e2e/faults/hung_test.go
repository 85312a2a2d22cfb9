package faults

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// hangSeed stops the process of an own seed without ending it, and then the daemon.
func hangSeed(t *testing.T, l *framework.Landscape) {
	l.Gardener("seed", "add", "two")
	l.StatusTable()
	hung := 0
	for pid, text := range l.Processes() {
		if strings.Contains(text, "--cluster-of") {
			hung = pid
		}
	}
	if hung == 0 {
		t.Fatalf("no process of the seed in %v", l.Processes())
	}
	signal := func(s syscall.Signal) {
		if err := syscall.Kill(hung, s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	defer func() { _ = syscall.Kill(hung, syscall.SIGCONT) }()
	// Ten seconds until the part is degraded, and the rest for the command on a busy machine.
	l.Eventually(time.Minute, "APP-10 status tells that the process hangs", func() (bool, string) {
		r := l.Run("status")
		return r.Code == 1 && strings.Contains(r.Stdout, "cluster-two") && strings.Contains(r.Stdout, "does not answer"), r.Stdout + r.Stderr
	})
	t.Run("APP-10 an event tells it", func(t *testing.T) {
		l := l.For(t)
		l.Eventually(time.Minute, "event", func() (bool, string) {
			said := l.Kubectl(l.Garden(), "get", "events", "-n", "default", "-o", "jsonpath={.items[*].message}")
			return strings.Contains(said, "cluster-two: the process of the cluster does not answer"), said
		})
	})
	t.Run("APP-10 it is ready when it goes on", func(t *testing.T) {
		l := l.For(t)
		signal(syscall.SIGCONT)
		l.Eventually(2*time.Minute, "status has nothing to say", func() (bool, string) {
			r := l.Run("status")
			return r.Code == 0, r.Stdout + r.Stderr
		})
	})
	t.Run("APP-10 status ends although the landscape hangs", func(t *testing.T) {
		l := l.For(t)
		daemon := l.Daemon()
		if err := syscall.Kill(daemon, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		r := l.Run("status")
		if took := time.Since(begin); r.Code != 1 || !strings.Contains(r.Stderr, "does not answer") || took > time.Minute {
			t.Errorf("code %d after %s: %s", r.Code, took, r.Stderr)
		}
	})
	t.Run("APP-10 down --force ends a landscape that hangs, and what is stored survives", func(t *testing.T) {
		l := l.For(t)
		l.Gardener("down", "--force")
		l.Eventually(time.Minute, "no process is left", func() (bool, string) {
			left := l.Processes()
			return len(left) == 0, fmt.Sprint(left)
		})
		l.Gardener("up")
		if got := strings.TrimSpace(l.Kubectl(l.Garden(), "get", "seed", "two", "-o", "name")); got != "seed.core.gardener.cloud/two" {
			t.Errorf("the seed is %q", got)
		}
	})
}
