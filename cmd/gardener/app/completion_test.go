package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestCompletion(t *testing.T) {
	state := t.TempDir()
	t.Setenv("GARDENER_STATE_DIR", state) // nothing runs there
	if err := os.MkdirAll(filepath.Join(state, "seeds", "two"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GARDENER_CONFIG", "")
	t.Setenv("KUBECONFIG", "/dev/null")
	for name, tc := range map[string]struct {
		args      []string
		want      string // among the completions
		directive cobra.ShellCompDirective
	}{
		"a verb without arguments takes no files":     {[]string{"status", ""}, "", cobra.ShellCompDirectiveNoFileComp},
		"logs of further seeds are known":             {[]string{"logs", ""}, "two", cobra.ShellCompDirectiveNoFileComp},
		"components are known":                        {[]string{"component", "kube-api"}, "kube-apiserver", cobra.ShellCompDirectiveNoFileComp},
		"flags of components may take files":          {[]string{"component", "etcd", "--data-dir", ""}, "", cobra.ShellCompDirectiveDefault},
		"kubeconfigs are known":                       {[]string{"kubeconfig", ""}, "shoot", cobra.ShellCompDirectiveNoFileComp},
		"a configuration is a YAML file":              {[]string{"--landscape-config", ""}, "yaml", cobra.ShellCompDirectiveFilterFileExt},
		"the same for up -f":                          {[]string{"up", "-f", ""}, "yaml", cobra.ShellCompDirectiveFilterFileExt},
		"the same for doctor --config":                {[]string{"doctor", "--config", ""}, "yaml", cobra.ShellCompDirectiveFilterFileExt},
		"a state directory is a directory":            {[]string{"--state-dir", ""}, "", cobra.ShellCompDirectiveFilterDirs},
		"kubectl completes its own verbs":             {[]string{"kubectl", "port-for"}, "port-forward", cobra.ShellCompDirectiveNoFileComp},
		"kubectl completes its own flags":             {[]string{"kubectl", "get", "--outp"}, "--output", cobra.ShellCompDirectiveNoFileComp},
		"shoots of a landscape that is down are none": {[]string{"kubeconfig", "shoot", ""}, "", cobra.ShellCompDirectiveError},
		"formats of dry runs are known":               {[]string{"shoot", "hibernate", "sun", "--dry-run", "-o", ""}, "yaml", cobra.ShellCompDirectiveNoFileComp},
		"levels of logs are known":                    {[]string{"logs", "--level", ""}, "warn", cobra.ShellCompDirectiveNoFileComp},
		"formats are known":                           {[]string{"status", "-o", ""}, "yaml", cobra.ShellCompDirectiveNoFileComp},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			root := newRoot(newDisplay())
			root.SetOut(&out)
			root.SetErr(&bytes.Buffer{})
			root.SetArgs(append([]string{cobra.ShellCompRequestCmd}, tc.args...))
			if err := root.ExecuteContext(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), tc.want) || !strings.HasSuffix(out.String(), fmt.Sprintf(":%d\n", tc.directive)) {
				t.Errorf("got %q, want %q and directive %d", out.String(), tc.want, tc.directive)
			}
		})
	}
}
