// Package testskip skips tests that the machine cannot run. Only tests may import it.
package testskip

import (
	"os"
	"testing"
)

// OutsideCI ends a test that lacks something of the machine, and says what. It skips the test on a developer's machine. Where
// the environment variable CI is true it lets the test fail, since nothing may be left out there unseen.
func OutsideCI(t testing.TB, lacks ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(lacks...)
	} else {
		t.Skip(lacks...)
	}
}
