package documents

import (
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
)

// quotations are how code begins that is no command though its first word might be a program: messages of the landscape, and pairs of a value and a flag.
var quotations = []string{
	"50 kills,", "a backup was", "an address of", "are taken", "cannot reach", "changes of", "container nginx", "embedded nodes",
	"failed calling webhook", "forbids user", "has not", "is damaged", "is hibernated:", "is in use,", "is missing", "is not", "is paused",
	"it belongs", "it contains", "it was", "killed at", "listen on", "local --provider", "MiB of", "must have", "needs attention:",
	"no container", "no gVisor", "not yet", "open files", "pids_limit =", "ran in gVisor", "random seed",
	"rotate-credentials-complete --complete", "rotate-credentials-start --start", "spec.type is", "the archive is", "the bundle is",
	"the garden has", "the landscape is", "the path is", "the process of", "the server doesn't", "their containers", "this machine cannot",
	"too many", "Waiting until", "was built", "which settings",
}

// TestQuotationsAreThere looks for quotations that no document has any longer: a command could hide behind them.
func TestQuotationsAreThere(t *testing.T) {
	var code []string
	for _, file := range documents(t) {
		steps, err := console.Sentences(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			code = append(code, step.Command+" ")
		}
	}
	t.Run("APP-36 documents have all quotations", func(t *testing.T) {
		for _, words := range quotations {
			if !slices.ContainsFunc(code, func(text string) bool { return strings.HasPrefix(text, words+" ") }) {
				t.Errorf("no document has code that begins with %q", words)
			}
		}
	})
}
