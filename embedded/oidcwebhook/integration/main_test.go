// Package integration runs the webhook beside a real API server.
package integration

import (
	"fmt"
	"os"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/apis/crds"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

var env *testenv.Env

func TestMain(m *testing.M) {
	definitions, err := crds.OpenIDConnect()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testenv.Main(m, testenv.Options{CRDs: definitions}, func(e *testenv.Env) { env = e })
}
