package paths_test

import (
	"os/exec"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/paths"
)

func TestWords(t *testing.T) {
	for path, want := range map[string]string{
		"/home/sun/.local/state/gardener/local": "/home/sun/.local/state/gardener/local",
		"/home/müller":                          "/home/müller",
		"/path/with a b":                        "'/path/with a b'",
		"/it's":                                 `'/it'\''s'`,
		"~/x":                                   "'~/x'",
		"$x":                                    "'$x'",
		"":                                      "''",
	} {
		t.Run("APP-35 a shell reads the path "+path, func(t *testing.T) {
			if got := paths.Word(path); got != want {
				t.Errorf("it is printed as %s, want %s", got, want)
			}
			if read, err := exec.Command("sh", "-c", "printf %s "+paths.Word(path)).Output(); err != nil || string(read) != path {
				t.Errorf("the shell read %q, %v", read, err)
			}
		})
	}
}
