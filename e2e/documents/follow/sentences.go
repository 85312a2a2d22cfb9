package follow

import (
	"path/filepath"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
)

// Sentence is a command of another program, which a document names in a sentence. The test runs it, or stands for it by the requests that the program
// makes. The test of sentences looks for the call, so the command is a literal there.
func Sentence(t *testing.T, document, command string) string {
	t.Helper()
	steps, err := console.Sentences(filepath.Join(Repository, document))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if step.Command == command {
			return command
		}
	}
	t.Fatalf("%s does not name %q", document, command)
	return ""
}
