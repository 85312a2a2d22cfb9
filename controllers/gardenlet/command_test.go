package gardenlet_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet"
)

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("apiVersion: gardenlet.config.gardener.cloud/v1alpha1\nkind: GardenletConfiguration\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"GLT-10 a start without configuration":           {nil, `required flag(s) "config" not set`},
		"GLT-10 a file with a mistake, which is named":   {[]string{"--config", file("mistake.yaml", "logLevel: loud\nseedConfig: {metadata: {name: a}}\n")}, `logLevel "loud"`},
		"GLT-1 a kubeconfig of the seed that is missing": {[]string{"--config", file("missing.yaml", "seedClientConnection: {kubeconfig: /no/where}\nseedConfig: {metadata: {name: a}}\n")}, "client of the seed"},
	} {
		t.Run(name+" is an error", func(t *testing.T) {
			cmd := gardenlet.Command("v1")
			cmd.SetArgs(tc.args)
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}
