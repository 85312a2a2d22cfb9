package controllermanager_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/controllermanager"
)

func TestCommand(t *testing.T) {
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a start without configuration":         {nil, `required flag(s) "config" not set`},
		"a file that does not exist":            {[]string{"--config", "/no/where"}, "read configuration: open /no/where"},
		"a file with a mistake, which is named": {[]string{"--config", file("controllers: {plant: {concurrentSyncs: 0}}")}, "config.yaml: controllers.plant.concurrentSyncs"},
		"a network that is none":                {[]string{"--config", file("{}"), "--private-networks", "10.0.0.1"}, "--private-networks: "},
	} {
		t.Run("APP-7 "+name+" is an error", func(t *testing.T) {
			cmd := controllermanager.Command(nil)
			cmd.SetArgs(tc.args)
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want one with %q", err, tc.want)
			}
		})
	}
}
