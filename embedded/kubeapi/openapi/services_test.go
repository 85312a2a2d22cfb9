package openapi

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
)

// A single failure is usual after a restart. It is no error, and shows at the level of developers only.
func TestADownloadThatFailsAgainIsAnError(t *testing.T) {
	var lines []string
	log := funcr.New(func(prefix, args string) { lines = append(lines, prefix+args) }, funcr.Options{Verbosity: 0})
	r := &remotes{services: &services{log: log.WithName("garden")}}
	failed := errors.New("failed to retrieve openAPI spec, http error: ResponseCode: 503")

	r.report("v1.example.org", failed, false)
	if len(lines) > 0 {
		t.Errorf("the first failure is logged: %q", lines)
	}
	r.report("v1.example.org", failed, true)
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "garden") || !strings.Contains(lines[0], "503") || !strings.Contains(lines[0], "v1.example.org") {
		t.Errorf("the second failure is logged as %q", lines)
	}
}
