package operator_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/operator"
)

func TestCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("controllers: {garden: {syncPeriod: 0s}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.yaml")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a start without configuration":         {nil, `required flag(s) "config" not set`},
		"a file that does not exist":            {[]string{"--config", "/no/where"}, "read configuration: open /no/where"},
		"a file with a mistake, which is named": {[]string{"--config", file}, "config.yaml: controllers.garden.syncPeriod"},
		"a network that is none":                {[]string{"--config", empty, "--private-networks", "10.0.0.1"}, "--private-networks: "},
		"a Service that is none":                {[]string{"--config", empty, "--webhook-service", "x"}, `"x" is not <namespace>/<name>`},
		"a kubeconfig that does not exist":      {[]string{"--config", empty, "--kubeconfig", "/no/where"}, "configure client of the runtime cluster"},
	} {
		t.Run("APP-7 "+name+" is an error", func(t *testing.T) {
			cmd := operator.Command(operator.Program{Version: "v1", Registration: func(string, int32, []byte) []client.Object { return nil }})
			cmd.SetArgs(tc.args)
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want one with %q", err, tc.want)
			}
		})
	}
}
