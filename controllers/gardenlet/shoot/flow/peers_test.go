package flow

import (
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/availability"
	graph "github.com/gardener-up/gardener-up/controllers/internal/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// TestPeersOfEtcd is about etcds with several members, which are restarted one after the other.
func TestPeersOfEtcd(t *testing.T) {
	for name, tc := range map[string]struct {
		shoot     *gardencorev1beta1.Shoot
		tolerance gardencorev1beta1.FailureToleranceType
		build     func(*Plan) (*graph.Graph, error)
		waits     bool
	}{
		"CAR-11 members trust a new authority before one has a certificate of it": {shootWithWorkers(rotating("Preparing")), "node", (*Plan).Reconcile, true},
		"CAR-11 so do those of a shoot whose workers roll out later":              {shootWithWorkers(rotating("PreparingWithoutWorkersRollout")), "zone", (*Plan).Reconcile, true},
		"CAR-11 a single member is restarted once":                                {shootWithWorkers(rotating("Preparing")), "", (*Plan).Reconcile, false},
		"CAR-11 the second phase drops what no member needs":                      {shootWithWorkers(rotating("Completing")), "node", (*Plan).Reconcile, false},
		"CAR-11 members that sleep are all restarted together":                    {shootWithWorkers(hibernated, rotating("Preparing")), "node", (*Plan).Reconcile, false},
		"CAR-11 a shoot that is deleted meanwhile goes on with it":                {shootWithWorkers(deleted, rotating("Preparing")), "node", (*Plan).Delete, true},
		"CAR-11 a shoot that leaves its seed meanwhile does so, too":              {shootWithWorkers(rotating("Preparing")), "node", (*Plan).Migrate, true},
	} {
		t.Run(name, func(t *testing.T) {
			steps, err := tc.build(New(Config{Operation: on(earth(), tc.shoot), Facts: complete, Availability: availability.Setting{Tolerance: tc.tolerance}}))
			if err != nil {
				t.Fatal(err)
			}
			order := steps.String()
			runs := false
			for line := range strings.Lines(order) {
				if strings.Contains(line, " "+EtcdPeersTrusted+" <-") {
					runs = !strings.HasPrefix(line, "-")
				}
			}
			if runs != tc.waits {
				t.Errorf("the step runs: %t, want %t", runs, tc.waits)
			}
			if !predecessors(order)(Etcd, EtcdPeersTrusted) {
				t.Error("certificates do not come after the trust")
			}
		})
	}
}
