package tour

import (
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// verbs changes a shoot without workers as a user without kubectl does.
func verbs(t *testing.T, l *framework.Landscape) {
	if text := l.Gardener("shoot", "create", "verbs", "--workers=0", "--dry-run"); !strings.Contains(text, "kind: Shoot") || !strings.Contains(text, "name: verbs") {
		t.Errorf("--dry-run prints:\n%s", text)
	}
	if text := l.Gardener("shoot", "list", "-o", "name"); strings.Contains(text, "verbs") {
		t.Errorf("--dry-run has created a shoot:\n%s", text)
	}
	says := func(want string, args ...string) {
		t.Helper()
		if text := l.Gardener(append([]string{"shoot"}, args...)...); !strings.Contains(text, want) {
			t.Errorf("gardener shoot %s does not say %q:\n%s", strings.Join(args, " "), want, text)
		}
	}
	says("shoot garden-local/verbs is ready", "create", "verbs", "--workers=0")
	says("garden-local/verbs", "list", "-n", "garden-local", "-o", "name")
	says("shoot--local--verbs", "describe", "garden-local/verbs")
	says("shoot garden-local/verbs is done", "reconcile", "verbs")
	shoot := l.Shoot("garden-local", "verbs")
	says("shoot garden-local/verbs sleeps", "hibernate", "verbs")
	t.Run("GLT-40 kubectl is told that the shoot sleeps", func(t *testing.T) {
		for _, args := range [][]string{{"get", "--raw=/version"}, {"get", "namespaces", "--cache-dir=" + t.TempDir()}} {
			if r := l.For(t).TryKubectl(shoot, args...); !strings.Contains(r.Stderr, "gardener shoot wake garden-local/verbs") {
				t.Errorf("kubectl %s says:\n%s", strings.Join(args, " "), r.Stderr)
			}
		}
	})
	t.Run("APP-35 events and logs are those of the shoot", func(t *testing.T) {
		own := l.For(t)
		for _, args := range [][]string{{"events", "--shoot", "verbs"}, {"logs", "--shoot", "garden-local/verbs", "--since", "1h"}} {
			text := own.Gardener(args...)
			if !strings.Contains(text, "verbs") {
				t.Errorf("gardener %s prints:\n%s", strings.Join(args, " "), text)
			}
			for line := range strings.Lines(text) {
				if args[0] == "events" && !strings.Contains(line, "verbs") && !strings.HasPrefix(line, "LAST SEEN") {
					t.Errorf("gardener %s prints %s", strings.Join(args, " "), line)
				}
			}
		}
	})
	says("asleep", "list")
	says("wake it up with: gardener shoot wake garden-local/verbs", "describe", "verbs")
	says("shoot garden-local/verbs is ready", "wake", "verbs")
	for args, code := range map[string]int{
		"create verbs": 1, "create verbs -n nowhere": 6, "retry verbs": 1, "describe nobody": 6, "hibernate nobody": 6, "rotate verbs": 2, "wiat verbs": 2,
	} {
		r := l.Run(append([]string{"shoot"}, strings.Fields(args)...)...)
		if r.Code != code || !strings.Contains(r.Stderr, "hint:") {
			t.Errorf("gardener shoot %s: exit code %d, want %d and a hint:\n%s", args, r.Code, code, r.Stderr)
		}
	}
	if text := l.Gardener("shoot", "list", "-n", "garden"); strings.Contains(text, "verbs") {
		t.Errorf("the list of another namespace has the shoot:\n%s", text)
	}
	says("shoot garden-local/verbs is gone", "delete", "verbs", "--yes")
}
