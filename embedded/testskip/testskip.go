// Package testskip skips tests that the machine cannot run. Only tests may import it.
package testskip

import (
	"os"
	"testing"
)

// OutsideCI ends a test for which the machine lacks something, and says what. On a developer's machine it skips the test. If the
// environment variable CI is true, the test fails, so that no test is left out there unnoticed.
func OutsideCI(t testing.TB, lacks ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(lacks...)
	} else {
		t.Skip(lacks...)
	}
}
