package app

import (
	"bytes"
	"strings"
	"testing"
)

func TestWrongNames(t *testing.T) {
	state := t.TempDir()
	for command, what := range map[string]string{
		"seed add Two!": "seed", "seed add Two! --dry-run": "seed", "seed add -- -two": "seed", "shoot create Two!": "shoot", "shoot create Two! --dry-run": "shoot",
		"status --landscape Two!": "landscape", "landscape list --landscape Two!": "landscape", "up --landscape two.": "landscape",
		"shoot list -n Two!": "namespace", "events -n Two!": "namespace", "shoot create sun -n Two!": "namespace", "shoot describe Two!/sun": "namespace",
	} {
		t.Run("APP-35 the hint is about names: "+command, func(t *testing.T) {
			var out bytes.Buffer
			root := newRoot(newDisplay())
			root.SetArgs(append([]string{"--state-dir=" + state}, strings.Fields(command)...))
			code := report(root.Execute(), newDisplay(), &out)
			if code != codeUsage || !strings.Contains(out.String(), `" cannot be the name of a `+what+" (GRD-200)\nhint:  "+nameRule+"\n") {
				t.Errorf("exit code %d:\n%s", code, out.String())
			}
		})
	}
}

func TestHintsOfSeeds(t *testing.T) {
	for provider, speaks := range map[string]bool{"kind": true, "embedded": false, "": false} {
		t.Run("APP-35 only a seed on kind has a hint about kind: "+provider, func(t *testing.T) {
			if hint := addCure(provider); strings.Contains(hint, "kind") != speaks {
				t.Errorf("hint %q", hint)
			}
		})
	}
}
