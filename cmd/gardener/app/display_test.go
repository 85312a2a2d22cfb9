package app

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/component"
)

// withFlags is how the command line sets the display.
func withFlags(t *testing.T, args ...string) (*display, error) {
	t.Helper()
	shown := newDisplay()
	root := newRoot(shown)
	if err := root.ParseFlags(args); err != nil {
		return nil, err
	}
	return shown, root.PersistentPreRunE(root, nil)
}

func TestProgressIsShownAsAsked(t *testing.T) {
	ready := component.Status{Title: "etcd", State: component.Ready, Took: 2 * time.Second}
	for name, tc := range map[string]struct {
		flag string
		want string
	}{
		"plain":   {"--progress=plain", "  ✓ etcd                 2.0s\n"},
		"none":    {"--progress=none", ""},
		"quiet":   {"-q", ""},
		"colours": {"--color=always", "  \x1b[32m✓\x1b[0m etcd                 2.0s\n"},
	} {
		t.Run("APP-35 progress "+name, func(t *testing.T) {
			shown, err := withFlags(t, tc.flag)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			newProgress(shown, &out).show([]component.Status{ready})
			if out.String() != tc.want {
				t.Errorf("printed %q, want %q", out.String(), tc.want)
			}
		})
	}
	t.Run("APP-35 progress json has an object in each line", func(t *testing.T) {
		shown, err := withFlags(t, "--progress=json")
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		newProgress(shown, &out).show([]component.Status{ready})
		shoots := &shootProgress{w: &out, live: newLive(shown, &out), object: "shoot p/sun"}
		for range 2 {
			shoots.show(shootStatus{Operation: "Create Processing (5%)", Doing: "etcd", Errors: []string{"boom"}})
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 2 {
			t.Fatalf("printed %q", out.String())
		}
		var step, shoot event
		if err := json.Unmarshal([]byte(lines[0]), &step); err != nil || step.Object != "step etcd" || step.State != "ready" || step.Seconds != 2 {
			t.Errorf("%s, %v", lines[0], err)
		}
		if err := json.Unmarshal([]byte(lines[1]), &shoot); err != nil || shoot.Object != "shoot p/sun" || shoot.State != "Create Processing (5%)" || shoot.Message != "etcd" || len(shoot.Errors) != 1 {
			t.Errorf("%s, %v", lines[1], err)
		}
	})
}

func TestColorsAndTheirMistakes(t *testing.T) {
	const hint = "hint:  " + lastResort + "\n"
	for name, tc := range map[string]struct {
		args    []string
		noColor string
		want    string
		problem string
	}{
		"a file has no colours":               {want: "error: boom (GRD-100)\n" + hint},
		"they can be forced":                  {args: []string{"--color=always"}, noColor: "1", want: "\x1b[31merror:\x1b[0m boom (GRD-100)\n" + hint},
		"they can be switched off":            {args: []string{"--color=never"}, want: "error: boom (GRD-100)\n" + hint},
		"another value is a mistake":          {args: []string{"--color=pink"}, problem: `unknown color "pink"`},
		"another progress is a mistake, too":  {args: []string{"--progress=fast"}, problem: `unknown progress "fast"`},
		"an error is printed to the quiet":    {args: []string{"-q"}, want: "error: boom (GRD-100)\n" + hint},
		"an error is printed to programs too": {args: []string{"--progress=json"}, want: `{"error":"boom","id":"GRD-100","exitCode":1,"hint":` + strconv.Quote(lastResort) + "}\n"},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			t.Setenv("NO_COLOR", tc.noColor)
			shown, err := withFlags(t, tc.args...)
			if tc.problem != "" {
				if err == nil || err.Error() != tc.problem {
					t.Errorf("error %v, want %s", err, tc.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if report(&exitError{code: codeFailure, err: errors.New("boom")}, shown, &out); out.String() != tc.want {
				t.Errorf("printed %q, want %q", out.String(), tc.want)
			}
		})
	}
}

// A flag of all commands must not take the letter of a flag of one command that has another name: pflag panics then.
func TestFlagsFitThoseOfOthers(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visited := 0
	visit = func(cmd *cobra.Command) {
		cmd.InheritedFlags()
		visited++
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(documented())
	if visited < 60 {
		t.Errorf("APP-35 only %d commands were looked at", visited)
	}
}
