package openapi

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
)

// A single failure is usual after a restart. It is no error, and shows at the level of developers only. A lasting one is an error, although
// documents are made anew with each pause of their readers.
func TestADownloadThatFailsAgainIsAnError(t *testing.T) {
	var lines []string
	log := funcr.New(func(prefix, args string) { lines = append(lines, prefix+args) }, funcr.Options{Verbosity: 0})
	s := &services{log: log.WithName("garden")}
	failed := errors.New("failed to retrieve openAPI spec, http error: ResponseCode: 503")

	for _, step := range []struct {
		of     *remotes
		err    error
		logged int
	}{
		{s.all(), failed, 0},
		{s.all(), nil, 0},
		{s.all(), failed, 0},
		{s.all(), failed, 1},
		{s.all(), failed, 2},
	} {
		if got := step.of.reported("v1.example.org", step.err); got != (step.err != nil) || len(lines) != step.logged {
			t.Errorf("after %v: failed %t, logged %q, want %d lines", step.err, got, lines, step.logged)
		}
	}
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "garden") || !strings.Contains(lines[0], "503") || !strings.Contains(lines[0], "v1.example.org") {
		t.Errorf("logged: %q", lines)
	}
}
