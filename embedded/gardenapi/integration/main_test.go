// Package integration tests the Gardener API server as its users see it, behind the aggregator of a kube-apiserver.
package integration

import (
	"testing"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

var garden *gardenapitest.Garden

func TestMain(m *testing.M) {
	gardenapitest.Main(m, gardenapitest.Options{Extensions: true, Env: testenv.Options{NoLeaks: true}}, func(g *gardenapitest.Garden) { garden = g })
}
