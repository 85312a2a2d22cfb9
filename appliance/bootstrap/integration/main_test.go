// Package integration tests a bootstrap against an API server without nodes and controllers.
package integration

import (
	"fmt"
	"os"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/cluster"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

var (
	env     *testenv.Env
	runtime *cluster.Cluster
)

func TestMain(m *testing.M) {
	testenv.Main(m, testenv.Options{}, func(e *testenv.Env) {
		env = e
		var err error
		if runtime, err = cluster.Open(e.Kubeconfig, ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			e.Stop()
			os.Exit(1)
		}
	})
}
