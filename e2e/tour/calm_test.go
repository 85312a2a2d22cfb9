package tour

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// allowed are the errors that a healthy start may log, each with the reason why nobody has to look at it. Those that a library logs in good health
// are not here: cmd/gardener/app drops them.
var allowed = []allowance{}

// allowance is an error by its logger and parts of its message and of its error; all of them have to fit.
type allowance struct{ logger, message, err, why string }

// calm expects that a start logs no errors.
func calm(t *testing.T, l *framework.Landscape) {
	if l.Gardener("logs", "--tail", "1") == "" {
		t.Fatal("the log is empty")
	}
	for line := range strings.Lines(l.Gardener("logs", "--level", "error", "--output", "json")) {
		var entry struct{ Logger, Msg, Error string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		at := slices.IndexFunc(allowed, func(a allowance) bool {
			return entry.Logger == a.logger && strings.Contains(entry.Msg, a.message) && strings.Contains(entry.Error, a.err)
		})
		if at < 0 {
			t.Errorf("a healthy start logs %s", line)
		} else {
			t.Logf("allowed, since %s: %s", allowed[at].why, line)
		}
	}
}
