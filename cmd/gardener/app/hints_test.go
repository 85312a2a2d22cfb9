package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ofX is a display of a command line that has chosen the landscape x.
func ofX() *display {
	shown := newDisplay()
	shown.chosen = func() string { return " --landscape x" }
	return shown
}

func TestCommandsAreNamed(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"in quotes":                  {`see "gardener status"; or "gardener seed list --watch".`, `see "gardener status --landscape x"; or "gardener seed list --watch --landscape x".`},
		"after a colon":              {"follow it with: gardener shoot wait p/s; undo it with: gardener seed remove s", "follow it with: gardener shoot wait p/s --landscape x; undo it with: gardener seed remove s --landscape x"},
		"at the end of a line":       {"wake it up with: gardener shoot wake p/s\n", "wake it up with: gardener shoot wake p/s --landscape x\n"},
		"before a parenthesis":       {"see: gardener status (it tells)", "see: gardener status --landscape x (it tells)"},
		"kubectl takes other flags":  {"see them with: gardener kubectl get projects", "see them with: gardener --landscape x kubectl get projects"},
		"flags are not repeated":     {`start it with "gardener up --landscape y"`, `start it with "gardener up --landscape y"`},
		"help is the same for all":   {`see "gardener shoot wait --help"`, `see "gardener shoot wait --help"`},
		"some verbs choose none":     {`"gardener landscape list", "gardener config template", "gardener bootstrap status"`, `"gardener landscape list", "gardener config template", "gardener bootstrap status"`},
		"another word is no command": {`"gardener upgrade" and error: gardener is down`, `"gardener upgrade" and error: gardener is down`},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, named(tc.text, " --landscape x")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := named(tc.text, ""); got != tc.text {
				t.Errorf("without flags: %s", got)
			}
		})
	}
}

// commandsIn are the commands that a text tells users to run.
var commandsIn = regexp.MustCompile(`(?:"|: )gardener (?:--\S+ \S+ )*[a-z][^";()\n]*`)

// Everything that is said of a landscape that does not run, or does not exist, is a hint for the one that was chosen.
func TestVerbsNameTheLandscape(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "")
	for _, variable := range []string{"GARDENER_STATE_DIR", "GARDENER_LANDSCAPE", "GARDENER_CONFIG"} {
		t.Setenv(variable, "")
	}
	for _, verb := range []string{
		"status", "pause", "events", "logs", "seed list", "seed remove two", "part stop etcd", "garden rotate --start", "shoot list", "shoot describe sun", "shoot wait sun",
		"shoot hibernate sun", "shoot wake sun", "shoot retry sun", "shoot delete sun --yes", "shoot create sun", "shoot backup sun", "kubeconfig garden", "kubeconfig seed two", "kubeconfig shoot sun",
		"kubectl get pods", "image list", "image remove x", "metrics get", "etcd snapshots etcd-garden", "backup create", "gardenctl-config",
	} {
		t.Run("APP-35 "+verb, func(t *testing.T) {
			var out bytes.Buffer
			shown := newDisplay()
			root := newRoot(shown)
			root.SetArgs(append([]string{"--landscape", "x"}, strings.Fields(verb)...))
			root.SetOut(&out)
			root.SetErr(&out)
			if report(root.Execute(), shown, &out) == codeOK {
				t.Fatalf("it succeeds: %s", &out)
			}
			all := commandsIn.FindAllString(out.String(), -1)
			if len(all) == 0 {
				t.Errorf("it names no command: %s", &out)
			}
			for _, command := range all {
				if !strings.Contains(command, "--landscape x") && !strings.Contains(command, "gardener landscape list") {
					t.Errorf("%s acts on another landscape: %s", command, &out)
				}
			}
		})
	}
}

func TestResultsNameTheLandscape(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	key := types.NamespacedName{Namespace: "p", Name: "s"}
	said := func(err error) string {
		var out bytes.Buffer
		report(err, ofX(), &out)
		return out.String()
	}
	for name, tc := range map[string]struct{ got, want string }{
		"a wait for a seed":    {said(seedWait{name: "two"}.ended(interrupted, "")), "see it with: gardener seed list --watch --landscape x; undo it with: gardener seed remove two --landscape x\n"},
		"a wait for a shoot":   {said(shootWatch{key: key}.ended(interrupted, shootStatus{}, nil)), "follow it with: gardener shoot wait p/s --landscape x\n"},
		"a shoot that sleeps":  {said(sleeps("p", "s")), "wake it up with: gardener shoot wake p/s --landscape x\n"},
		"a shoot that is gone": {said(shootNotFound("p", "s")), "see \"gardener shoot list --landscape x\"\n"},
		"an error with a cure": {said(errors.New(`boom: "gardener down --purge" removes it`)), "\"gardener down --purge --landscape x\" removes it (GRD-100)\nhint:"},
		"another landscape":    {said(&elsewhere{shootNotFound("p", "s"), " --landscape y"}), "see \"gardener shoot list --landscape y\"\n"},
	} {
		t.Run("APP-35 "+name, func(t *testing.T) {
			if !strings.Contains(tc.got, tc.want) {
				t.Errorf("it says %s, not %s", tc.got, tc.want)
			}
		})
	}
	t.Run("APP-35 what goes on in the background", func(t *testing.T) {
		for want, until := range map[string]goal{
			"started; follow it with: gardener shoot wait p/s --landscape x\n":          {name: "is ready"},
			"started; follow it with: gardener shoot list -n p --watch --landscape x\n": sleeping(key),
		} {
			var out bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetOut(&out)
			if err := (&waiting{display: ofX()}).follow(cmd, nil, key, until); err != nil || out.String() != want {
				t.Errorf("%q, %v, want %q", out.String(), err, want)
			}
		}
	})
	t.Run("APP-35 tables and what is due", func(t *testing.T) {
		shoot := rotating(gardencorev1beta1.RotationPrepared)
		rows := dueRows([]due{{"shoot p/s", dueShoot(shoot, nil, time.Now())[0]}})
		var out bytes.Buffer
		if err := ofX().printAs(&out, "table", nil, func() [][]string { return rows }); err != nil || !strings.Contains(out.String(), "--complete --landscape x\n") {
			t.Errorf("%s, %v", &out, err)
		}
	})
}

func rotating(phase gardencorev1beta1.CredentialsRotationPhase) *gardencorev1beta1.Shoot {
	shoot := &gardencorev1beta1.Shoot{}
	shoot.Namespace, shoot.Name = "p", "s"
	shoot.Status.Credentials = &gardencorev1beta1.ShootCredentials{Rotation: &gardencorev1beta1.ShootCredentialsRotation{CertificateAuthorities: &gardencorev1beta1.CARotation{Phase: phase}}}
	return shoot
}

func TestChosenFlags(t *testing.T) {
	for _, variable := range []string{"GARDENER_STATE_DIR", "GARDENER_LANDSCAPE", "GARDENER_CONFIG"} {
		t.Setenv(variable, "")
	}
	for args, want := range map[string]string{
		"status": "", "--landscape local status": "", "--landscape x status": " --landscape x", "--state-dir /s --landscape local status": " --landscape local --state-dir /s",
		"--landscape-config c.yaml status": " --landscape-config c.yaml",
	} {
		root := &cobra.Command{}
		global := &globalFlags{display: newDisplay()}
		global.add(root)
		if err := root.ParseFlags(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if global.file == "" {
			global.file = "set-by-resume.yaml" // not by the user
		}
		if got := global.display.flags(); got != want {
			t.Errorf("APP-35 %s: %q, want %q", args, got, want)
		}
	}
}

func TestHelpNamesADefaultOnce(t *testing.T) {
	t.Setenv("GARDENER_STATE_DIR", "/elsewhere")
	var out bytes.Buffer
	root := newRoot(newDisplay())
	root.SetOut(&out)
	root.SetArgs([]string{"status", "--help"})
	if err := root.Execute(); err != nil || strings.Contains(out.String(), "/elsewhere") || !strings.Contains(out.String(), "$GARDENER_STATE_DIR") {
		t.Errorf("APP-35 %v\n%s", err, out.String())
	}
}

func TestConfigIsTheFlagOfTheLandscape(t *testing.T) {
	for _, variable := range []string{"GARDENER_STATE_DIR", "GARDENER_LANDSCAPE", "GARDENER_CONFIG"} {
		t.Setenv(variable, "")
	}
	for _, args := range []string{"up -f c.yaml", "up --config=c.yaml", "run -f c.yaml", "resume -f c.yaml", "doctor --config c.yaml", "config view -f c.yaml", "service install -f c.yaml"} {
		shown := newDisplay()
		cmd, flags, err := newRoot(shown).Find(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.ParseFlags(flags); err != nil || shown.flags() != " --landscape-config c.yaml" {
			t.Errorf("APP-35 %s: %q, %v", args, shown.flags(), err)
		}
	}
}

// Each verb is known to act on one landscape or not, so that hints that name it are right.
func TestVerbsAreKnown(t *testing.T) {
	for _, cmd := range newRoot(newDisplay()).Commands() {
		name := cmd.Name()
		known := func(list []string) bool {
			return slices.ContainsFunc(list, func(verb string) bool { return verb == name || strings.HasPrefix(verb, name+" ") })
		}
		if !known(landscapeVerbs) && !known(otherVerbs) {
			t.Errorf("APP-35 it is not known whether %q acts on one landscape: add it to hints.go", name)
		}
	}
}

// documentation are fields of commands, whose texts show how commands are written in general, and the functions that describe flags.
var documentation = []string{
	"Use", "Example", "Short", "Long", "use", "example", "short", "long", "Usage",
	"StringVar", "StringVarP", "BoolVar", "StringArrayVar", "StringSliceVar", "IntVar", "DurationVar", "Replace", "ReplaceAll", "MustCompile",
}

// A command in a text is found by its quotes, or by the colon before it. This test finds texts that have neither.
func TestTextsMarkTheirCommands(t *testing.T) {
	command := regexp.MustCompile(`gardener (?:` + strings.Join(landscapeVerbs, "|") + `)\b`)
	marked := regexp.MustCompile(`gardener (?:--landscape x kubectl\b|(?:` + strings.Join(landscapeVerbs, "|") + `)\b[^"\n;]*--landscape x|[a-z -]*--help)`)
	texts := 0
	for _, room := range []string{".", "../../../appliance", "../../../local", "../../../controllers", "../../../embedded/node"} {
		err := filepath.WalkDir(room, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || file == "ready.go" { // ready.go prints the variable that chooses the landscape first
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(parsed, func(node ast.Node) bool {
				switch node := node.(type) {
				case *ast.KeyValueExpr:
					return !slices.Contains(documentation, fmt.Sprint(node.Key))
				case *ast.AssignStmt:
					if selector, is := node.Lhs[0].(*ast.SelectorExpr); is {
						return !slices.Contains(documentation, selector.Sel.Name)
					}
				case *ast.CallExpr:
					if selector, is := node.Fun.(*ast.SelectorExpr); is {
						return !slices.Contains(documentation, selector.Sel.Name)
					}
				case *ast.BasicLit:
					text, err := strconv.Unquote(node.Value)
					if err != nil || node.Kind != token.STRING || !command.MatchString(text) || strings.HasPrefix(text, "gardener ") {
						return true
					}
					texts++
					if text = named(text, " --landscape x"); len(command.FindAllString(text, -1))+strings.Count(text, "gardener --landscape x kubectl") != len(marked.FindAllString(text, -1)) {
						t.Errorf("APP-35 %s: quote the command, or put it after a colon: %s", file, text)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if texts < 60 {
		t.Errorf("APP-35 only %d texts were looked at", texts)
	}
}
