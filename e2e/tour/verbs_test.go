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
	dryRuns(t, l)
	says("shoot garden-local/verbs sleeps", "hibernate", "verbs")
	t.Run("GLT-40 kubectl is told that the shoot sleeps", func(t *testing.T) {
		for _, args := range [][]string{{"get", "--raw=/version"}, {"get", "namespaces", "--cache-dir=" + t.TempDir()}} {
			if r := l.For(t).TryKubectl(shoot, args...); !strings.Contains(r.Stderr, "gardener shoot wake garden-local/verbs --state-dir "+l.StateDir) {
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

// dryRuns tries verbs with a shoot, which must stay as it is.
func dryRuns(t *testing.T, l *framework.Landscape) {
	generation := func(l *framework.Landscape) string {
		return l.Kubectl(l.Garden(), "-n", "garden-local", "get", "shoot", "verbs", "-o", `jsonpath={.metadata.generation} {.metadata.annotations} {.metadata.deletionTimestamp}`)
	}
	before := generation(l)
	for args, want := range map[string]string{
		"hibernate":                "shoot garden-local/verbs would be hibernated (dry run)\n",
		"wake":                     "would wake up|nothing would change",
		"reconcile":                "shoot garden-local/verbs would be reconciled (dry run)\n",
		"maintain":                 "shoot garden-local/verbs would be maintained (dry run)\n",
		"rotate --start":           "shoot garden-local/verbs would rotate its credentials (dry run)\n",
		"delete":                   "shoot garden-local/verbs would be deleted (dry run)\n",
		"hibernate -o yaml":        "kind: Shoot\n",
		"delete -o json":           `"kind": "Shoot"`,
		"reconcile --wait=true -q": "",
	} {
		t.Run("APP-35 "+args+" can be tried", func(t *testing.T) {
			text := l.For(t).Gardener(append(append([]string{"shoot"}, strings.Fields(args)...), "verbs", "--dry-run")...)
			one, other, _ := strings.Cut(want, "|")
			if !strings.Contains(text, one) && (other == "" || !strings.Contains(text, other)) {
				t.Errorf("it says %q, want %q", text, want)
			}
		})
	}
	t.Run("APP-35 a dry run of what the garden refuses fails", func(t *testing.T) {
		if r := l.For(t).Run("shoot", "migrate", "verbs", "--to", "missing", "--dry-run"); r.Code != 6 {
			t.Errorf("code %d: %s", r.Code, r.Stderr)
		}
	})
	if after := generation(l); after != before {
		t.Errorf("APP-35 dry runs changed the shoot from %s to %s", before, after)
	}
}
