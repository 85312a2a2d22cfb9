package documents

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/documents/words"
)

// marked are commands in sentences that are run otherwise than by their words: the file that runs the command, and its text that does so.
var marked = map[string]struct{ file, text string }{
	"gardener daemon": {"e2e/framework/cli/process.go", `" daemon "`}, // each landscape is one
	"gardener daemon --cluster-of=<name server>":                           {"e2e/seeds/operator_test.go", `"--cluster-of=" + nameServer`},
	"gardener component kube-apiserver":                                    {"hack/bench/peer/peer.go", `p.start(ctx, "kube-apiserver"`},
	"gardener component garden":                                            {"hack/bench/api/main.go", `Process: true`},
	"gardener component gardenlet --config FILE":                           {"e2e/seeds/managed_test.go", `"component", "gardenlet", "--config="`},
	"gardener component admission-controller --config FILE":                {"controllers/admissioncontroller/integration/main_test.go", `"--config", made.config(`},
	"gardener component gardener-controller-manager --config FILE":         {"e2e/alone/alone_test.go", `{"gardener-controller-manager", []string{"--config="`},
	"gardener component operator --config FILE":                            {"e2e/alone/alone_test.go", `{"operator", []string{"--kubeconfig=" + garden.Kubeconfig, "--config="`},
	"gardener component backup-restore serve":                              {"e2e/kind/backup_test.go", `backup-restore serve`},
	"go run ./examples/extension --kubeconfig seed.yaml":                   {"examples/extension/main_test.go", `"--kubeconfig", env.Kubeconfig`},
	"gardener up --replace-seed local":                                     {"e2e/kind/end_test.go", `"--replace-seed=local"`},
	"cp -p last-good/appliance.db appliance.db":                            {"e2e/faults/lost_test.go", `exec.Command("sh", "-c", command)`},
	"sysctl fs.inotify.max_user_instances=8192":                            {"e2e/machine/limit_test.go", `follow.Sentence(t, "docs/configuration.md", "sysctl fs.inotify.max_user_instances=8192")`},
	"loginctl enable-linger":                                               {"e2e/machine/service_test.go", `follow.Sentence(t, page, "loginctl enable-linger")`},
	"systemctl --user start gardener-local":                                {"e2e/machine/service_test.go", `follow.Sentence(t, page, "systemctl --user start gardener-local")`},
	"journalctl --user -u gardener-local":                                  {"e2e/machine/service_test.go", `follow.Sentence(t, page, "journalctl --user -u gardener-local")`},
	"systemd-run --user --scope gardener up":                               {"e2e/machine/service_test.go", `follow.Sentence(t, "docs/containers.md", "systemd-run --user --scope gardener up")`},
	"usermod --add-subuids 100000-165535 --add-subgids 100000-165535 ada":  {"e2e/framework/ids.go", `"--add-subuids", ids, "--add-subgids", ids, userWithIDs)`},
	"dig @127.0.0.1 -p PORT api.local.local.external.local.gardener.cloud": {"e2e/rows/exposure_test.go", `follow.Sentence(t, "docs/configuration.md", "dig @127.0.0.1 -p PORT api.local.local.external.local.gardener.cloud")`},
	"nft list table ip podnet":                                             {"e2e/kind/policies_test.go", `follow.Sentence(t, "docs/kind.md", "nft list table ip podnet")`},
	"age --decrypt -i snapshots.key":                                       {"embedded/backuprestore/encryption/encryption_test.go", `exec.Command("age", "--decrypt", "-i", file)`},
	"sha256sum -c SHA256SUMS":                                              {"hack/release/release_test.go", `exec.Command("sha256sum", "-c", sumsFile)`},
	"examples/garden/garden.sh up":                                         {"e2e/bootstrap/bootstrap_test.go", `"examples/garden.sh up"`}, // by a link to examples/garden
	"examples/garden/garden.sh down":                                       {"e2e/bootstrap/cluster_test.go", `"examples/garden.sh down"`},
	"ulimit -n 4096":                                                       {"e2e/faults/limits_test.go", `ulimit -n 4096`},
	"man gardener-shoot-create":                                            {"cmd/gardener/app/man_test.go", `{"gardener-shoot-create"}`},
	"man -l ~/pages/man1/gardener.1":                                       {"cmd/gardener/app/man_test.go", `{"-l", filepath.Join(`},
	"gardenctl target":                                                     {"e2e/tour/clients_test.go", `follow.Sentence(t, "docs/clients.md", "gardenctl target")`},
	"gardenctl kubectl-env":                                                {"e2e/tour/clients_test.go", `follow.Sentence(t, "docs/clients.md", "gardenctl kubectl-env")`},
}

// TestEverySentenceIsRun looks for the commands in sentences. A block, an example of the reference, a test or a script of CI has to run each.
func TestEverySentenceIsRun(t *testing.T) {
	run, found := commands(t), map[string]bool{}
	for _, file := range documents(t) {
		steps := spoken(t, file)
		t.Run("APP-36 "+strings.TrimPrefix(file, follow.Repository+"/"), func(t *testing.T) {
			for _, step := range steps {
				found[step.Command] = true
				runs(t, run, step)
			}
		})
	}
	if len(found) < 80 {
		t.Errorf("only %d commands are found in sentences", len(found))
	}
	for command := range marked {
		if !found[command] {
			t.Errorf("no document has %q, which another test is to run", command)
		}
	}
}

// spoken are the commands in the sentences of a document. Whatever may be the name of a program is one, so that the first command of another program
// is noticed, too.
func spoken(t *testing.T, file string) []console.Step {
	t.Helper()
	steps, err := console.Sentences(file)
	if err != nil {
		t.Fatal(err)
	}
	var commands []console.Step
	for _, step := range steps {
		program := console.Program(step.Command)
		quoted := slices.ContainsFunc(quotations, func(words string) bool { return strings.HasPrefix(step.Command+" ", words+" ") })
		if program == "" || quoted {
			continue
		}
		// Sentences about a verb leave the program out.
		if _, err := os.Stat(filepath.Join(follow.Repository, "docs", "cli", "gardener_"+program+".md")); err == nil && marked[step.Command].file == "" {
			step.Command = "gardener " + step.Command
		}
		commands = append(commands, step)
	}
	return commands
}

// runs expects that something runs a command of a sentence.
func runs(t *testing.T, run [][]string, step console.Step) {
	t.Helper()
	if mark, ok := marked[step.Command]; ok {
		if !contains(t, mark.file, mark.text) {
			t.Errorf("%s: %s does not run %q: it has no %s", follow.Place(step), mark.file, step.Command, mark.text)
		}
		return
	}
	for _, command := range words.Split(step.Command) {
		if !slices.ContainsFunc(run, func(other []string) bool { return words.Names(command, other) }) {
			t.Errorf("%s: nothing runs %q", follow.Place(step), strings.Join(command, " "))
		}
	}
}

// contains reports whether a file of the repository has a text.
func contains(t *testing.T, file, text string) bool {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(follow.Repository, file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(content), text)
}

// commands are all that are run: those of blocks and acts, those of other tests, and those of CI.
func commands(t *testing.T) [][]string {
	t.Helper()
	run, err := words.Calls(filepath.Join(follow.Repository, "e2e"))
	if err != nil {
		t.Fatal(err)
	}
	for command := range elsewhere {
		run = append(run, words.Split(command)...)
	}
	for _, act := range allActs() {
		for _, command := range slices.Concat(act.before, act.commands, act.after) {
			run = append(run, words.Split(command)...)
		}
	}
	for _, file := range documents(t) {
		blocks, err := console.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks {
			for _, step := range block.Steps {
				run = append(run, words.Split(follow.WithoutComment(step.Command))...)
			}
		}
	}
	for _, step := range jobs(t)[0].Steps {
		for command := range strings.Lines(step.Command) {
			run = append(run, words.Split(follow.WithoutComment(command))...)
		}
	}
	return slices.Concat(run, scripts(t, scriptFile), scripts(t, nightlyFile))
}

// nightlyFile runs what takes hours, such as tests of other engines and whatever needs a kind cluster of its own.
const nightlyFile = ".ci/nightly"

// scripts are the commands of a script of CI, what make runs for them, and the targets that these need.
func scripts(t *testing.T, file string) [][]string {
	t.Helper()
	var run [][]string
	for _, line := range script(t, file) {
		arguments, ok := strings.CutPrefix(line, "make ")
		if !ok {
			continue
		}
		recipes := exec.Command("make", append([]string{"--dry-run"}, strings.Fields(arguments)...)...)
		recipes.Dir = follow.Repository
		output, err := recipes.Output()
		if err != nil {
			t.Fatalf("make --dry-run %s: %v", arguments, err)
		}
		for recipe := range strings.Lines(string(output)) {
			run = append(run, words.Split(recipe)...)
		}
		for _, target := range needed(t, strings.Fields(arguments)) {
			run = append(run, append([]string{"make", target}, strings.Fields(arguments)...)) // with its variables
		}
	}
	return run
}

// needed are targets with all that they need.
func needed(t *testing.T, targets []string) []string {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(follow.Repository, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	needs := map[string][]string{}
	for _, match := range regexp.MustCompile(`(?m)^([a-z0-9-]+):([a-z0-9 -]*)##`).FindAllStringSubmatch(string(makefile), -1) {
		needs[match[1]] = strings.Fields(match[2])
	}
	for i := 0; i < len(targets); i++ {
		for _, need := range needs[targets[i]] {
			if !slices.Contains(targets, need) {
				targets = append(targets, need)
			}
		}
	}
	return targets
}
