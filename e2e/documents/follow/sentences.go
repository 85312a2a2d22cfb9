package follow

import (
	"path/filepath"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
)

// Sentence is a command of another program, which a document names in a sentence and the test stands for: it makes the requests of the program. The
// test of sentences looks for the call, so both are literals there.
func Sentence(t *testing.T, document, command string) {
	t.Helper()
	steps, err := console.Sentences(filepath.Join(Repository, document))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		if step.Command == command {
			return
		}
	}
	t.Errorf("%s does not name %q", document, command)
}
