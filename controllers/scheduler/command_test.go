package scheduler_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/gardener-up/gardener-up/controllers/scheduler"
)

func TestCommand(t *testing.T) {
	t.Run("SCH-2 the configuration file is the only flag", func(t *testing.T) {
		var flags []string
		scheduler.Command().Flags().VisitAll(func(flag *pflag.Flag) { flags = append(flags, flag.Name) })
		if diff := cmp.Diff([]string{"config"}, flags); diff != "" {
			t.Errorf("flags (-want +got):\n%s", diff)
		}
	})
	wrong := filepath.Join(t.TempDir(), "wrong.yaml")
	if err := os.WriteFile(wrong, []byte("schedulers: {shoot: {candidateDeterminationStrategy: Random}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"SCH-2 a start without configuration":          {nil, `required flag(s) "config" not set`},
		"SCH-2 a file that does not exist":             {[]string{"--config", "/no/where"}, "read configuration: open /no/where"},
		"SCH-2 settings of webhooks":                   {[]string{"--config", wrong, "--tls-cert-file", "a"}, "unknown flag: --tls-cert-file"},
		"SCH-10 a file with a mistake, which is named": {[]string{"--config", wrong}, `wrong.yaml: schedulers.shoot.candidateDeterminationStrategy "Random"`},
	} {
		t.Run(name+" is an error", func(t *testing.T) {
			cmd := scheduler.Command()
			cmd.SetArgs(tc.args)
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want one with %q", err, tc.want)
			}
		})
	}
}
