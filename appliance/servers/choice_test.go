package servers

import (
	"testing"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

func TestChoice(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/state")
	for name, tc := range map[string]struct{ landscape, dir, want string }{
		"the usual landscape needs none":  {"local", "/state/gardener/local", ""},
		"another one has a name":          {"two", "/state/gardener/two", " --landscape two"},
		"one elsewhere has a directory":   {"local", "/mnt/my state", " --state-dir '/mnt/my state'"},
		"one elsewhere has any name":      {"two", "/mnt/two", " --state-dir /mnt/two"},
		"the directory of another's name": {"two", "/state/gardener/local", " --state-dir /state/gardener/local"},
	} {
		t.Run("APP-2 "+name, func(t *testing.T) {
			p, err := paths.New(tc.dir)
			if err != nil {
				t.Fatal(err)
			}
			if got := Choice(tc.landscape, p.Shared()); got != tc.want {
				t.Errorf("flags %q, want %q", got, tc.want)
			}
		})
	}
}
