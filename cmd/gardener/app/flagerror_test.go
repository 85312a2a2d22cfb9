package app

import (
	"bytes"
	"strings"
	"testing"
)

// TestFlagErrors needs no landscape: a wrong flag is told before anybody looks for one.
func TestFlagErrors(t *testing.T) {
	for args, want := range map[string][]string{
		"status -o nme":                       {`unknown output "nme"`, "-o accepts one of table, json, yaml"},
		"shoot list -o nme":                   {`unknown output "nme"`, "-o accepts one of table, json, yaml, wide, name"},
		"shoot backup sun -o wide":            {`unknown output "wide"`, "-o accepts one of text, json, yaml"},
		"logs --since soon":                   {`--since cannot be "soon"`, "a number with a unit, such as 30s, 10m or 2h"},
		"up --timeout 5":                      {`--timeout cannot be "5"`, "a number with a unit"},
		"shoot rotate sun --start --complete": {"error: --complete and --start exclude each other (GRD-200)", "hint:  use one of them, and leave out the others"},
		"seed add two --pods 127.80.0.0/16":   {"error: --pods and --services belong together, but --services is missing (GRD-200)", "hint:  use all of them, or none"},
		"garden rotate":                       {"error: --start or --complete is missing (GRD-200)", "hint:  use one of them"},
		"up --provder kind":                   {"unknown flag: --provder", `did you mean "--provider"?`},
		"shoot list --namspace dev":           {"unknown flag: --namspace", `did you mean "--namespace"?`},
		"status -f x.yaml":                    {`"gardener status" reads no configuration file to start by`, `-f and --config are for "gardener config view", "gardener doctor", "gardener resume", "gardener run", "gardener service install", "gardener up"`, "--landscape-config says which landscape"},
		"shoot list --config x.yaml":          {`"gardener shoot list" reads no configuration file to start by`},
		"up --config /no/such":                {"/no/such", "name another file, or leave the flag out", `"gardener config template" prints`},
		"status --landscape-config /no/such":  {"/no/such", "name another file, or leave the flag out"},
		"completion fish-shell":               {`unknown command "gardener completion fish-shell"`, `see "gardener completion --help"`},
		"completion":                          {`"gardener completion" needs one of bash, fish, powershell, zsh`, `see "gardener completion --help"`},
		"kubeconfig":                          {`"gardener kubeconfig" needs one of garden, seed, shoot`, `see "gardener kubeconfig --help"`},
		"up --provider kidn":                  {`error: unknown provider "kidn"`, "--provider accepts one of embedded, kind"},
		"config template -o x":                {"error: unknown flag: -o (", `see "gardener config template --help"`},
		"component nope":                      {`unknown command "gardener component nope"`, `see "gardener component --help"`},
		"status --no-such":                    {"unknown flag: --no-such", `see "gardener status --help"`},
	} {
		t.Run("APP-35 "+args, func(t *testing.T) {
			t.Setenv("GARDENER_STATE_DIR", t.TempDir())
			var out bytes.Buffer
			root := newRoot(newDisplay())
			root.SetArgs(strings.Fields(args))
			if code := report(root.Execute(), newDisplay(), &out); code != codeUsage {
				t.Errorf("code %d", code)
			}
			for _, part := range want {
				if !strings.Contains(out.String(), part) {
					t.Errorf("%q does not contain %q", out.String(), part)
				}
			}
		})
	}
}
