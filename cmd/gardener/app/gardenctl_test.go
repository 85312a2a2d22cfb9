package app

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

func TestErrorsOfAnotherLandscapeNameIt(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, variable := range []string{"GARDENER_STATE_DIR", "GARDENER_LANDSCAPE", "GARDENER_CONFIG"} {
		t.Setenv(variable, "")
	}
	root, err := paths.DefaultRoot("moon")
	if err != nil {
		t.Fatal(err)
	}
	p, err := paths.New(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.Root(), 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := daemon.Acquire(p.Lock()) // as if it starts
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	shown := newDisplay()
	cli := newRoot(shown)
	cli.SetArgs([]string{"gardenctl-config", "--all"})
	var out bytes.Buffer
	if code := report(cli.Execute(), shown, &out); code != codeFailure || !strings.Contains(out.String(), `"gardener up --landscape moon"`) {
		t.Errorf("APP-35 exit code %d: %s", code, &out)
	}
}
