package app

import (
	"testing"

	"github.com/spf13/pflag"
	"go.uber.org/goleak"
)

// TestMain fails if the tests leave a goroutine behind. Flags that imported packages registered are dropped, as Main does.
func TestMain(m *testing.M) {
	pflag.CommandLine = pflag.NewFlagSet("gardener", pflag.ContinueOnError)
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/tidwall/buntdb.(*DB).backgroundManager")) // ends at its next tick
}
