package own

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/appliance/store"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestStageOf(t *testing.T) {
	seed := &gardencorev1beta1.Seed{}
	deleted := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Now()}}}
	for name, tc := range map[string]struct {
		seed  *gardencorev1beta1.Seed
		noted store.Seed
		want  stage
	}{
		"a new seed is to be registered":                                   {nil, store.Seed{}, seedMissing},
		"a seed that was registered stays so":                              {seed, store.Seed{Garden: "this"}, seedRegistered},
		"a seed of a landscape that did not note its garden stays so":      {seed, store.Seed{}, seedRegistered},
		"a seed that is being deleted needs its cluster":                   {deleted, store.Seed{Garden: "this"}, seedLeaving},
		"a seed whose deletion was seen is gone":                           {nil, store.Seed{Removing: true}, seedGone},
		"a seed that vanished while nobody looked is gone":                 {nil, store.Seed{Garden: "this"}, seedGone},
		"a seed that was registered in a garden before is registered anew": {nil, store.Seed{Garden: "that"}, seedMissing},
	} {
		t.Run(name, func(t *testing.T) {
			if got := stageOf(tc.seed, tc.noted, "this"); got != tc.want {
				t.Errorf("stage %d, want %d", got, tc.want)
			}
		})
	}
}
