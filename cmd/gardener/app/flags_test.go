package app

import (
	"bytes"
	"strings"
	"testing"
)

func TestHintsNameTheLandscape(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("GARDENER_STATE_DIR", "")
	for args, want := range map[string]string{
		"--landscape nosuch status":           `"gardener up --landscape nosuch"`,
		"--landscape nosuch kubectl get pods": `"gardener up --landscape nosuch"`,
		"shoot list":                          `"gardener up"`,
	} {
		t.Run("APP-35 "+args, func(t *testing.T) {
			t.Setenv("KUBECONFIG", "")
			t.Setenv("GARDENER_LANDSCAPE", "")
			var out bytes.Buffer
			root := newRoot(newDisplay())
			root.SetArgs(strings.Fields(args))
			if code := report(root.Execute(), newDisplay(), &out); code != codeNotRunning || !strings.HasSuffix(out.String(), "hint:  start it with "+want+"\n") {
				t.Errorf("exit code %d: %s", code, out.String())
			}
		})
	}
	t.Run("APP-35 a variable stays set", func(t *testing.T) {
		t.Setenv("GARDENER_LANDSCAPE", "second")
		l, err := (&globalFlags{name: "second", stateDir: t.TempDir() + "/a b"}).load(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := l.command("up"), "gardener up --state-dir '"+l.paths.Root()+"'"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
