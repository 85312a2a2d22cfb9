package console

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "~~~", fence)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRead(t *testing.T) {
	blocks, err := Read(write(t, `# Title
~~~yaml
gardener: {}
gardener up
~~~
## Use
~~~console
$ one
its output
$ two \
  more
~~~
~~~console in e2e/kind
$ four
~~~
`), "gardener")
	if err != nil {
		t.Fatal(err)
	}
	if len(blocks) != 2 || blocks[0].Heading != "Use" || blocks[0].In != "" || blocks[1].In != "e2e/kind" {
		t.Fatalf("blocks %+v", blocks)
	}
	steps := blocks[0].Steps
	if len(steps) != 2 || steps[0].Output[0] != "its output" || steps[1].Command != "two \\\n  more" || steps[1].Line != 10 {
		t.Errorf("steps %+v", steps)
	}
	for _, text := range []string{"~~~\n$ gardener up\n~~~\n", "~~~\ngardener up\n~~~\n", "~~~text\n  gardener up\n~~~\n"} {
		var unmarked *Unmarked
		if _, err := Read(write(t, text), "gardener"); !errors.As(err, &unmarked) || unmarked.Line != 2 {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, language := range []string{"sh", "bash", "shell-session"} { // whatever its commands are
		var unmarked *Unmarked
		if _, err := Read(write(t, "~~~"+language+"\nother up\n~~~\n"), "gardener"); !errors.As(err, &unmarked) || unmarked.Line != 1 {
			t.Errorf("APP-36 a block of %s: %v", language, err)
		}
	}
}

func TestSentences(t *testing.T) {
	steps, err := Sentences(write(t, "Root calls `useradd` with\n`--create-home ada`, and `ls` lists. Run `sync`. See `a/b.go`.\n\n`X=y other\nup` runs.\n\n~~~console\n$ echo `id -u x`\n~~~\n"))
	if err != nil || len(steps) != 5 {
		t.Fatalf("APP-36 steps %+v, %v", steps, err)
	}
	want := map[string]string{"useradd": "useradd", "useradd --create-home ada": "useradd", "--create-home ada": "", "X=y other up": "other", "sync": "sync"}
	for _, step := range steps {
		if program, ok := want[step.Command]; !ok || Program(step.Command) != program {
			t.Errorf("APP-36 step %+v has the program %q", step, Program(step.Command))
		}
	}
}

func TestProgram(t *testing.T) {
	for command, want := range map[string]string{
		"dig @127.0.0.1 -p PORT": "dig", "hack/tool.sh up": "hack/tool.sh", "A=b C=d ~/bin/x y": "~/bin/x", "systemd-run --user true": "systemd-run",
		"--to DIR": "", "replicas: 3": "", `A="b c"`: "", "f(x, y)": "", "resources: [{kind: X}]": "", "<name> x": "",
	} {
		if got := Program(command); got != want {
			t.Errorf("APP-36 the program of %q is %q, want %q", command, got, want)
		}
	}
}

func TestExamples(t *testing.T) {
	steps, err := Examples(write(t, "## gardener up\n\n~~~\ngardener up [flags]\n~~~\n\n### Examples\n\n~~~\n  # first\n  gardener up\n~~~\n\n### Options\n\n~~~\n  --x\n~~~\n"))
	if err != nil || len(steps) != 1 || steps[0].Command != "gardener up" || steps[0].Line != 11 {
		t.Errorf("steps %+v, %v", steps, err)
	}
}

func TestCompare(t *testing.T) {
	for name, tc := range map[string]struct {
		documented, output string
		differ             bool
	}{
		"the same":                          {documented: "a\nb", output: "a\nb\n"},
		"another word":                      {documented: "a", output: "b", differ: true},
		"a line more":                       {documented: "a", output: "a\nb", differ: true},
		"a line less":                       {documented: "a\nb", output: "a", differ: true},
		"times, names and columns":          {documented: "web-7887448d46-vrk8j   Running   2s", output: "web-75889f8dcc-fwldj  Running  1m3s"},
		"a name that looks like a duration": {documented: "web-7887448d46-vrk8j   Running   2s", output: "web-846fc4fb57-5m42s   Running   7s"},
		"another state":                     {documented: "web-7887448d46-vrk8j   Running   2s", output: "web-75889f8dcc-fwldj  Pending  1m3s", differ: true},
		"a dot is a dot":                    {documented: "1.33.3", output: "1x33.3", differ: true},
		"lines left out":                    {documented: "a\n…\nd", output: "a\nb\nc\nd"},
		"no lines left out":                 {documented: "a\n…\nd", output: "a\nd"},
		"a part left out":                   {documented: "pod/…-x ready", output: "pod/abc-x ready"},
		"parts become ready side by side":   {documented: "begin\n  ✓ a\n  ✓ b\nend", output: "begin\n  ✓ b\n  ✓ a\nend"},
		"progress depends on the machine":   {documented: "  Create Processing (28%)  Waiting\ndone after 3 s", output: "  Create Processing (35%)  Other\ndone after 12.5 s"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Compare(strings.Split(tc.documented, "\n"), tc.output); (err != nil) != tc.differ {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestShell(t *testing.T) {
	shell, err := NewShell(t.TempDir(), []string{"PATH=" + os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shell.Close() })
	for _, step := range []struct {
		command, output string
		code            int
	}{
		{command: "export A=b"},
		{command: "echo $A  # comment", output: "b"},
		{command: "cat; echo \\\n  two; echo three >&2", output: "two\nthree"},
		{command: "false", code: 1},
		{command: "printf 'no end of line'", output: "no end of line"},
	} {
		output, code, err := shell.Run(context.Background(), step.command)
		if err != nil || code != step.code || strings.TrimSpace(output) != step.output {
			t.Errorf("%q prints %q, ends with %d and %v", step.command, output, code, err)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := shell.Run(ended, "sleep 60"); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that does not end: %v", err)
	}
}
