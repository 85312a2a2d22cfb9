// Package errors makes typical mistakes of users. Each mistake must give a clear error and its own exit code, and do
// no damage.
package errors

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

func TestMistakesBeforeTheStart(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	_, busyPort, _ := net.SplitHostPort(busy.Addr().String())

	for name, tc := range map[string]struct {
		prepare func(t *testing.T, l *framework.Landscape)
		args    []string
		code    int
		says    []string
	}{
		"an unknown verb":          {args: []string{"upp"}, code: 2, says: []string{"unknown command", "upp"}},
		"a verb of shoots":         {args: []string{"list"}, code: 2, says: []string{"unknown command", "gardener shoot list"}},
		"a verb that is misspelt":  {args: []string{"shoot", "wiat"}, code: 2, says: []string{"gardener shoot wait"}},
		"an argument too many":     {args: []string{"up", "local"}, code: 2, says: []string{"takes no arguments", "local"}},
		"an unknown flag":          {args: []string{"up", "--sideways"}, code: 2, says: []string{"unknown flag", "--help"}},
		"a misspelt flag":          {args: []string{"up", "--prot=1"}, code: 2, says: []string{"unknown flag", `did you mean "--port"?`}},
		"an unknown output format": {args: []string{"version", "-o", "xml"}, code: 2, says: []string{"xml", "table, json, yaml"}},
		"a bad configuration key":  {prepare: config("frontDor: {}\n"), args: []string{"up"}, code: 2, says: []string{`unknown field "frontDor"`, "landscape.yaml"}},
		"GLT-10 a bad key of the gardenlet": {
			prepare: config("gardenlet: {controllers: {shoots: {}}}\n"), args: []string{"up"}, code: 2, says: []string{`unknown field "controllers.shoots"`, "gardenlet"},
		},
		"VPN-7 a reversed VPN without the front door that it goes through": {
			prepare: config("gardenlet: {featureGates: {ReversedVPN: true, APIServerSNI: false}}\n"), args: []string{"up"}, code: 2,
			says: []string{"gardenlet.featureGates", "ReversedVPN needs APIServerSNI, which is off", "switch APIServerSNI on"},
		},
		"several mistakes in the configuration": {prepare: config("name: A B\nfrontDoor: {port: -1}\n"), args: []string{"up"}, code: 2, says: []string{"name:", "frontDoor.port:"}},
		"an unknown provider":                   {args: []string{"up", "--provider=moon"}, code: 2, says: []string{"--provider", "moon", "embedded"}},
		"a purge without confirmation": {prepare: func(t *testing.T, l *framework.Landscape) {
			if err := os.MkdirAll(l.StateDir, 0o700); err != nil {
				t.Fatal(err)
			}
		}, args: []string{"down", "--purge"}, code: 2, says: []string{"destroys", "--yes"}},
		"a port in use":                            {args: []string{"up", "--port=" + busyPort}, code: 8, says: []string{busyPort, "front door", "--port"}},
		"status of a landscape that never ran":     {args: []string{"status"}, code: 3, says: []string{"not running", "gardener up"}},
		"kubeconfig of a landscape that never ran": {args: []string{"kubeconfig", "garden"}, code: 3, says: []string{"not running"}},
		"kubectl of a landscape that never ran":    {args: []string{"kubectl", "get", "shoots"}, code: 3, says: []string{"not running", "gardener up"}},
		"logs of a landscape that never ran":       {args: []string{"logs"}, code: 6, says: []string{"no log"}},
		"deleting a shoot without confirmation":    {args: []string{"shoot", "delete", "x"}, code: 2, says: []string{"--yes"}},
		"APP-35 a name that is no shoot's":         {args: []string{"kubeconfig", "shoot", "a/b/c"}, code: 2, says: []string{`"a/b/c" is not the name of a shoot`, "NAMESPACE/NAME"}},
		"APP-35 no name of a shoot":                {args: []string{"kubeconfig", "shoot"}, code: 2, says: []string{"needs the name of a shoot", "--help"}},
		"a state directory with other files": {
			prepare: func(t *testing.T, l *framework.Landscape) {
				put(t, filepath.Join(l.StateDir, "thesis.tex"), "years of work")
			},
			args: []string{"up"}, code: 7, says: []string{"other files", "--state-dir"},
		},
		"purge of a directory with other files": {
			prepare: func(t *testing.T, l *framework.Landscape) {
				put(t, filepath.Join(l.StateDir, "thesis.tex"), "years of work")
			},
			args: []string{"down", "--purge", "--yes"}, code: 7, says: []string{"other files"},
		},
		"a damaged store": {
			prepare: func(t *testing.T, l *framework.Landscape) {
				put(t, filepath.Join(l.StateDir, "appliance.db"), "no store\n")
			},
			args: []string{"up"}, code: 7, says: []string{"damaged", "--purge"},
		},
		"APP-35 a state directory whose name servers refuse": {args: []string{"up", "--state-dir=zustände,mehr"}, code: 7, says: []string{"','", "Kubernetes", "--state-dir"}},
		"APP-35 a configuration without an end": {
			args: []string{"up", "--landscape-config=/dev/zero"}, code: 2, says: []string{"/dev/zero", "not a regular file"},
		},
		"APP-35 several unknown keys": {prepare: config("frontDor: {}\nseed: {podCidr: x}\n"), args: []string{"up"}, code: 2, says: []string{`"frontDor"`, `"seed.podCidr"`}},
		"a state directory that is a file": {
			prepare: func(t *testing.T, l *framework.Landscape) { put(t, l.StateDir, "a file") },
			args:    []string{"up"}, code: 7, says: []string{"not a directory"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := framework.New(t)
			if tc.prepare != nil {
				tc.prepare(t, l)
			}
			before := tree(t, l.StateDir)
			r := l.Run(tc.args...)
			if r.Code != tc.code {
				t.Errorf("exit code %d, want %d", r.Code, tc.code)
			}
			if id := fmt.Sprintf("(GRD-%d", tc.code); !strings.Contains(r.Stderr, id) {
				t.Errorf("APP-35 the error has no ID %s..):\n%s", id, r.Stderr)
			}
			for _, text := range tc.says {
				if !strings.Contains(r.Stderr, text) {
					t.Errorf("the error does not say %q:\n%s", text, r.Stderr)
				}
				if strings.Contains(r.Stdout, text) {
					t.Errorf("the output says %q, too:\n%s", text, r.Stdout)
				}
			}
			if after := tree(t, l.StateDir); after != before {
				t.Errorf("the state directory changed from %q to %q", before, after)
			}
			put(t, l.Config, "stateDir: "+l.StateDir+"\n") // needed by the purge
			_ = os.RemoveAll(l.StateDir)                   // made by the test; a purge rightly refuses some of it
		})
	}
}

func TestMistakesWhileItRuns(t *testing.T) {
	l := framework.New(t)
	l.Gardener("up")

	t.Run("a second up does no harm, a second run is refused", func(t *testing.T) {
		expect(t, l.Run("up"), 0, "running already")
		expect(t, l.Run("run"), 4, "running already", "gardener down")
	})
	t.Run("an unknown shoot", func(t *testing.T) {
		expect(t, l.Run("shoot", "wait", "nobody", "-n", "garden-local"), 6, "garden-local/nobody does not exist")
		expect(t, l.Run("kubeconfig", "shoot", "garden-local/nobody"), 6, "does not exist")
	})
	t.Run("APP-35 a version of Kubernetes that is not offered", func(t *testing.T) {
		expect(t, l.Run("shoot", "create", "moon", "--kubernetes", "1.99"), 1, "1.99", "the garden offers 1.", kubeversion.Number)
	})
	t.Run("another name for the same state directory", func(t *testing.T) {
		expect(t, l.Run("down", "--landscape=other"), 0, "") // this means the daemon of this state directory, under any name
		expect(t, l.Run("up", "--landscape=other"), 7, `"local"`, `"other"`)
		expect(t, l.Run("down", "--purge", "--yes", "--landscape=other"), 7, `"local"`, "--landscape")
	})
	t.Run("after all that it starts as if nothing had happened", func(t *testing.T) {
		l.Gardener("up")
		if out := l.Kubectl(l.Garden(), "get", "project", "local", "-o", "jsonpath={.status.phase}"); out != "Ready" {
			t.Errorf("project phase %q", out)
		}
	})
	t.Run("a store whose last write is cut off is read up to there", func(t *testing.T) {
		l.Gardener("down")
		file := filepath.Join(l.StateDir, "appliance.db")
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, info.Size()-2); err != nil {
			t.Fatal(err)
		}
		l.Gardener("up")
	})
}

func expect(t *testing.T, r framework.Result, code int, says ...string) {
	t.Helper()
	if r.Code != code {
		t.Errorf("exit code %d, want %d: %s%s", r.Code, code, r.Stdout, r.Stderr)
	}
	for _, text := range says {
		if !strings.Contains(r.Stdout+r.Stderr, text) {
			t.Errorf("it does not say %q:\n%s%s", text, r.Stdout, r.Stderr)
		}
	}
}

func config(text string) func(*testing.T, *framework.Landscape) {
	return func(t *testing.T, l *framework.Landscape) { put(t, l.Config, text+"stateDir: "+l.StateDir+"\n") }
}

func put(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tree describes the content of a directory except the lock, which every command may touch.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	_ = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && info.Name() != "lock" {
			text, _ := os.ReadFile(path)
			all.WriteString(path + ": " + string(text) + "\n")
		}
		return nil
	})
	return all.String()
}
