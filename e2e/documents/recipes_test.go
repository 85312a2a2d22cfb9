package documents

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

// recipesPage is the document with recipes for CI systems. Blocks of YAML on other pages are no jobs.
const recipesPage = "docs/ci.md"

// installing is what a user replaces by a download. The test has the binary in $PATH.
const installing = "install -m 755 ./tools/gardener /usr/local/bin/"

// jobTests stands for the tests of the user. It fails if $KUBECONFIG leads to no shoot.
const jobTests = `#!/bin/sh
set -e
touch "$RUNNER_TEMP/tested"
exec gardener kubectl get configmap shoot-info -n kube-system
`

// TestRecipesAreAlike needs no landscape. One recipe runs, and the other one has the same commands.
func TestRecipesAreAlike(t *testing.T) {
	for _, file := range documents(t) {
		recipes, err := console.Recipes(file, programs...)
		if name := strings.TrimPrefix(file, follow.Repository+"/"); err != nil || len(recipes) > 0 && name != recipesPage {
			t.Errorf("APP-36 %s: jobs that no test runs: %+v, %v", name, recipes, err)
		}
	}
	recipes := jobs(t)
	if diff := cmp.Diff(portable(recipes[0]), portable(recipes[1])); diff != "" {
		t.Errorf("APP-36 commands of GitHub Actions and GitLab (-GitHub +GitLab):\n%s", diff)
	}
}

// jobs are the recipes for GitHub Actions and GitLab.
func jobs(t *testing.T) []console.Recipe {
	t.Helper()
	recipes, err := console.Recipes(filepath.Join(follow.Repository, recipesPage))
	if err != nil || len(recipes) != 2 {
		t.Fatalf("%s has %d recipes, %v", recipesPage, len(recipes), err)
	}
	return recipes
}

// ownTests are the tests of the user, and the file of a kubeconfig, which are different for each system.
var ownTests, ownFile = regexp.MustCompile(`^(KUBECONFIG=\S+) .*`), regexp.MustCompile(`"\$RUNNER_TEMP/([a-z.]+)"`)

// portable are the commands of a recipe in the words that both systems have in common.
func portable(recipe console.Recipe) []string {
	var all []string
	for _, step := range recipe.Steps {
		for command := range strings.Lines(step.Command) {
			command = strings.TrimSuffix(follow.WithoutComment(command), " || true")
			if command != installing {
				all = append(all, ownTests.ReplaceAllString(ownFile.ReplaceAllString(command, "$1"), "$1 tests"))
			}
		}
	}
	return all
}

// followRecipe runs the job of GitHub Actions in a home without landscapes, also the steps that are only for failed jobs. GitHub gives each
// step to a shell that ends at the first command that fails.
func followRecipe(t *testing.T, r *follow.Reader, home *framework.Landscape) {
	t.Helper()
	runner, shoot := filepath.Join(home.Dir, "runner"), filepath.Join(home.Dir, "test", "shoot.yaml")
	example, err := os.ReadFile(filepath.Join(follow.Repository, "examples", "90-shoot.yaml"))
	for _, err := range []error{
		err, os.Mkdir(filepath.Dir(shoot), 0o755), os.WriteFile(shoot, bytes.Replace(example, []byte("  name: local\n"), []byte("  name: test\n"), 1), 0o600),
		os.Mkdir(runner, 0o755), os.WriteFile(filepath.Join(runner, "go"), []byte(jobTests), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var steps []console.Step
	for _, step := range jobs(t)[0].Steps {
		if follow.WithoutComment(step.Command) == installing {
			continue
		}
		lines := []string{"(set -e"}
		for command := range strings.Lines(step.Command) {
			lines = append(lines, follow.WithoutComment(command))
		}
		step.Command = strings.Join(append(lines, ")"), "\n")
		steps = append(steps, step)
	}
	job := *r
	job.Env = slices.DeleteFunc(slices.Clone(r.Env), func(entry string) bool { return strings.HasPrefix(entry, "KUBECONFIG=") })
	job.Env = append(job.Env, "RUNNER_TEMP="+runner)
	for i, entry := range job.Env {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			job.Env[i] = "PATH=" + runner + ":" + path
		}
	}
	job.Follow(t, recipesPage, steps)
	if _, err := os.Stat(filepath.Join(runner, "tested")); err != nil {
		t.Errorf("APP-36 %s: the job did not run the tests of the user: %v", recipesPage, err)
	}
}
