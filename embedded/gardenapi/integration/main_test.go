// Package integration tests the Gardener API server as its users see it, behind the aggregator of a kube-apiserver.
package integration

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
)

var garden *gardenapitest.Garden

func TestMain(m *testing.M) {
	gardenapitest.Main(m, gardenapitest.Options{Extensions: true}, func(g *gardenapitest.Garden) { garden = g })
}

// TestHold keeps the garden for a try by hand: GARDEN_HOLD is how long.
func TestHold(t *testing.T) {
	hold, err := time.ParseDuration(os.Getenv("GARDEN_HOLD"))
	if err != nil {
		t.Skip("GARDEN_HOLD is not set to a duration")
	}
	fmt.Fprintf(os.Stderr, "ready after %s\nexport KUBECONFIG=%s\n", garden.StartTime, garden.Kubeconfig)
	time.Sleep(hold)
}
