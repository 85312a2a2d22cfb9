package cluster_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/gardener-up/gardener-up/local/cluster"
)

// TestMain fails if the tests leave a goroutine behind. As a component, the test binary is the process that calls the kind library.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "component" {
		cmd := cluster.Command()
		cmd.SetArgs(os.Args[3:])
		if err := cmd.Execute(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}
