package app

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
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
			shown := newDisplay()
			root := newRoot(shown)
			root.SetArgs(strings.Fields(args))
			if code := report(root.Execute(), shown, &out); code != codeNotRunning || !strings.HasSuffix(out.String(), "hint:  start it with "+want+"\n") {
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
	t.Run("APP-35 a state directory says whose it is", func(t *testing.T) {
		t.Setenv("GARDENER_LANDSCAPE", "")
		dir := t.TempDir()
		p, err := paths.New(dir)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := store.Open(p.Store())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(stored.SetIdentity(store.Identity{Name: "second"}), stored.Close()); err != nil {
			t.Fatal(err)
		}
		for want, flags := range map[string]globalFlags{"second": {stateDir: dir}, "third": {stateDir: dir, name: "third"}, "local": {stateDir: t.TempDir()}} {
			if l, err := flags.load(nil); err != nil || l.Name != want {
				t.Errorf("%+v: the landscape is %v, want %q, %v", flags, l, want, err)
			}
		}
	})
}
