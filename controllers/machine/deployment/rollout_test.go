package deployment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

func TestNext(t *testing.T) {
	full := func(n int32) counts { return counts{wanted: n, exist: n, available: n} }
	for name, tc := range map[string]struct {
		rollout     rollout
		wantCurrent int32
		wantOld     []int32
	}{
		"a new deployment gets all machines at once": {
			rollout: rollout{desired: 3, surge: 1}, wantCurrent: 3, wantOld: []int32{},
		},
		"a larger one grows at once": {
			rollout: rollout{desired: 5, surge: 1, current: full(3)}, wantCurrent: 5, wantOld: []int32{},
		},
		"a smaller one shrinks at once": {
			rollout: rollout{desired: 1, surge: 1, current: full(3)}, wantCurrent: 1, wantOld: []int32{},
		},
		"a rollout begins with the surge and keeps all old machines": {
			rollout: rollout{desired: 3, surge: 1, old: []counts{full(3)}}, wantCurrent: 1, wantOld: []int32{3},
		},
		"a rollout without surge begins by removing as many as may be unavailable": {
			rollout: rollout{desired: 3, unavailable: 1, old: []counts{full(3)}}, wantCurrent: 0, wantOld: []int32{2},
		},
		"surge and unavailability are used together": {
			rollout: rollout{desired: 4, surge: 1, unavailable: 1, old: []counts{full(4)}}, wantCurrent: 1, wantOld: []int32{3},
		},
		"an old machine goes when a new one is available": {
			rollout:     rollout{desired: 3, surge: 1, current: full(1), old: []counts{full(3)}},
			wantCurrent: 1, wantOld: []int32{2},
		},
		"no old machine goes while the new one is not available": {
			rollout:     rollout{desired: 3, surge: 1, current: counts{wanted: 1, exist: 1}, old: []counts{full(3)}},
			wantCurrent: 1, wantOld: []int32{3},
		},
		"an old machine that is not available goes without waiting": {
			rollout:     rollout{desired: 3, unavailable: 1, old: []counts{{wanted: 3, exist: 3, available: 2}}},
			wantCurrent: 0, wantOld: []int32{2},
		},
		"the oldest set shrinks first": {
			rollout:     rollout{desired: 2, surge: 1, current: full(1), old: []counts{full(1), full(1)}},
			wantCurrent: 1, wantOld: []int32{0, 1},
		},
		"the last old machine goes when all new ones are available": {
			rollout:     rollout{desired: 3, surge: 1, current: full(3), old: []counts{full(1)}},
			wantCurrent: 3, wantOld: []int32{0},
		},
		"a count that is behind does not remove too many": { // one of three old was removed, the status has not seen it
			rollout:     rollout{desired: 3, unavailable: 1, old: []counts{{wanted: 2, exist: 3, available: 3}}},
			wantCurrent: 1, wantOld: []int32{2},
		},
		"a deployment scaled to zero in the middle of a rollout empties all sets": {
			rollout:     rollout{surge: 1, current: full(1), old: []counts{full(2)}},
			wantCurrent: 0, wantOld: []int32{0},
		},
		"Recreate empties the old sets first": {
			rollout:     rollout{desired: 3, recreate: true, old: []counts{full(3)}},
			wantCurrent: 0, wantOld: []int32{0},
		},
		"Recreate waits for the last old machine": {
			rollout:     rollout{desired: 3, recreate: true, old: []counts{{exist: 1}}},
			wantCurrent: 0, wantOld: []int32{0},
		},
		"Recreate fills the current set then": {
			rollout:     rollout{desired: 3, recreate: true, old: []counts{{}}},
			wantCurrent: 3, wantOld: []int32{0},
		},
		"a paused deployment does not move machines between sets": {
			rollout:     rollout{desired: 3, surge: 1, paused: true, current: full(1), old: []counts{full(2)}},
			wantCurrent: 1, wantOld: []int32{2},
		},
		"a paused deployment is still scaled": {
			rollout:     rollout{desired: 5, surge: 1, paused: true, current: full(1), old: []counts{full(2)}},
			wantCurrent: 3, wantOld: []int32{2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			current, old := tc.rollout.next(true)
			if current != tc.wantCurrent {
				t.Errorf("current set: %d, want %d", current, tc.wantCurrent)
			}
			if diff := cmp.Diff(tc.wantOld, old); diff != "" {
				t.Errorf("old sets (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRolloutsEnd plays rollouts to their end and checks the promises at every step.
func TestRolloutsEnd(t *testing.T) {
	for desired := range int32(6) {
		for surge := range int32(3) {
			for unavailable := range int32(3) {
				if surge == 0 && unavailable == 0 || unavailable > desired {
					continue
				}
				r := rollout{desired: desired, surge: surge, unavailable: unavailable, old: []counts{{desired, desired, desired}}}
				for step := 0; r.current.available != desired || r.old[0].wanted != 0; step++ {
					if step > 50 {
						t.Fatalf("desired %d, surge %d, unavailable %d: stuck at %+v", desired, surge, unavailable, r)
					}
					current, old := r.next(true)
					r.old[0] = counts{old[0], old[0], old[0]}
					available := r.current.available
					if sum := current + old[0]; sum > desired+surge {
						t.Fatalf("desired %d, surge %d: %d machines", desired, surge, sum)
					}
					if sum := min(available, current) + old[0]; sum < desired-unavailable {
						t.Fatalf("desired %d, unavailable %d: %d available", desired, unavailable, sum)
					}
					if r.current.wanted == current && available < current {
						available++ // a machine became ready
					}
					r.current = counts{current, current, min(available, current)}
				}
			}
		}
	}
}

func TestBounds(t *testing.T) {
	spec := func(replicas int32, surge, unavailable *intstr.IntOrString) *machinev1alpha1.MachineDeploymentSpec {
		return &machinev1alpha1.MachineDeploymentSpec{Replicas: replicas, Strategy: machinev1alpha1.MachineDeploymentStrategy{
			RollingUpdate: &machinev1alpha1.RollingUpdateMachineDeployment{
				UpdateConfiguration: machinev1alpha1.UpdateConfiguration{MaxSurge: surge, MaxUnavailable: unavailable},
			},
		}}
	}
	number := func(n int32) *intstr.IntOrString { return ptr.To(intstr.FromInt32(n)) }
	percent := func(s string) *intstr.IntOrString { return ptr.To(intstr.FromString(s)) }
	for name, tc := range map[string]struct {
		spec                   *machinev1alpha1.MachineDeploymentSpec
		wantSurge, wantMissing int32
	}{
		"both are 1 when unset":                          {&machinev1alpha1.MachineDeploymentSpec{Replicas: 3}, 1, 1},
		"numbers are taken as they are":                  {spec(3, number(2), number(0)), 2, 0},
		"percentages of surge are rounded up":            {spec(3, percent("10%"), number(0)), 1, 0},
		"percentages of unavailability are rounded down": {spec(3, number(1), percent("50%")), 1, 1},
		"something has to move":                          {spec(3, number(0), percent("10%")), 0, 1},
		"no more can be unavailable than there are":      {spec(2, number(1), number(5)), 1, 2},
		"what cannot be read counts as 1":                {spec(3, percent("x"), number(0)), 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			surge, missing := bounds(tc.spec)
			if surge != tc.wantSurge || missing != tc.wantMissing {
				t.Errorf("surge %d, unavailable %d; want %d, %d", surge, missing, tc.wantSurge, tc.wantMissing)
			}
		})
	}
}
