package app

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

var rewrite = flag.Bool("rewrite", false, "write the reference of the command line into docs/cli")

// reference is the folder of the generated pages.
const reference = "../../../docs/cli"

func TestReference(t *testing.T) {
	root := documented()
	if *rewrite {
		if err := os.RemoveAll(reference); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(reference, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := doc.GenMarkdownTree(root, reference); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	if err := doc.GenMarkdownTree(root, dir); err != nil {
		t.Fatal(err)
	}
	t.Run("APP-35 the generated reference is that of the binary", func(t *testing.T) {
		want, got := pages(t, dir), pages(t, reference)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("docs/cli is old: go test ./cmd/gardener/app -run TestReference -rewrite (-binary +docs/cli):\n%s", diff)
		}
	})
}

func pages(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(file)] = string(text)
	}
	return found
}

func TestVerbsHaveHelp(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && !slices.Contains([]string{"help", "completion"}, sub.Name()) {
				visit(sub)
			}
		}
		if cmd.HasAvailableSubCommands() {
			return
		}
		t.Run("APP-35 "+cmd.CommandPath(), func(t *testing.T) {
			if cmd.Short == "" || cmd.Example == "" {
				t.Errorf("it has no summary or no example")
			}
		})
	}
	visit(documented())
}

// freeText are flags whose values nobody can propose: numbers and times of the user, names that do not exist yet, secrets.
var freeText = []string{
	"gardener image load --name", "gardener metrics get --name", "gardener seed add --pods", "gardener seed add --services", "gardener seed add --node-image", "gardener convert --drop",
	"gardener bootstrap --domain", "gardener bootstrap --image", "gardener bootstrap --name", "gardener bootstrap --pod-network", "gardener bootstrap --registry",
	"gardener bootstrap --service-network", "gardener bootstrap --storage-class", "gardener bootstrap kubeconfig --server",
	"gardener up --seed", "gardener run --seed", "gardener doctor --seed", "gardener up --node-image", "gardener run --node-image", "gardener doctor --node-image",
}

func TestFlagsHaveCompletions(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && !slices.Contains([]string{"help", "completion", "component", "kubectl"}, sub.Name()) {
				visit(sub)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			_, completes := cmd.GetFlagCompletionFunc(f.Name)
			_, files := f.Annotations[cobra.BashCompFilenameExt]
			_, dirs := f.Annotations[cobra.BashCompSubdirsInDir]
			if f.Hidden || f.Deprecated != "" || completes || files || dirs || slices.Contains(freeText, cmd.CommandPath()+" --"+f.Name) {
				return
			}
			if kind := f.Value.Type(); kind == "string" || kind == "stringSlice" || kind == "stringArray" {
				t.Errorf("APP-35 %s --%s (%s) completes nothing", cmd.CommandPath(), f.Name, kind)
			}
		})
	}
	visit(documented())
}

// withoutData are the verbs that do something and print how far they are, or print what others define: logs, manifests, scripts.
var withoutData = []string{
	"gardener up", "gardener service install", "gardener service uninstall", "gardener run", "gardener pause", "gardener resume", "gardener down", "gardener logs", "gardener part start", "gardener part stop", "gardener seed add", "gardener seed remove",
	"gardener bootstrap kubeconfig", "gardener bootstrap remove",
	"gardener bundle create", "gardener bundle push", "gardener bundle verify", "gardener garden rotate",
	"gardener image load", "gardener image remove", "gardener image save", "gardener convert", "gardener credential", "gardener backup key", "gardener config template", "gardener man",
	"gardener shoot delete", "gardener shoot example", "gardener shoot hibernate", "gardener shoot maintain", "gardener shoot migrate", "gardener shoot reconcile",
	"gardener metrics get", "gardener metrics scrape-config", "gardener metrics token", "gardener shoot retry", "gardener shoot rotate", "gardener shoot wait", "gardener shoot wake",
}

func TestVerbsPrintDataAsJSONAndYAML(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && !slices.Contains([]string{"help", "completion", "component", "kubectl"}, sub.Name()) {
				visit(sub)
			}
		}
		if cmd.HasAvailableSubCommands() || slices.Contains(withoutData, cmd.CommandPath()) {
			return
		}
		flag := cmd.Flag("output")
		if flag == nil || flag.Shorthand != "o" || !strings.Contains(flag.Usage, "json") || !strings.Contains(flag.Usage, "yaml") {
			t.Errorf("APP-35 %s has no -o json and -o yaml", cmd.CommandPath())
		}
	}
	visit(documented())
}
