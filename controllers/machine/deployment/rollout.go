package deployment

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// counts are the numbers of machines of one set.
type counts struct {
	// wanted is the size of the set.
	wanted int32
	// exist is the number of existing machines.
	exist int32
	// available is the number of usable machines.
	available int32
}

// rollout is everything that a step of a rolling update depends on.
type rollout struct {
	desired, surge, unavailable int32
	recreate, paused            bool
	current                     counts
	// old sets, oldest first.
	old []counts
}

// next returns the sizes of the current and of the old sets after the next step. Without a current set its size is 0.
func (r rollout) next(hasCurrent bool) (int32, []int32) {
	old := make([]int32, len(r.old))
	for i, set := range r.old {
		old[i] = set.wanted
	}
	switch {
	case r.paused:
		return r.scalePaused(hasCurrent, old)
	case r.recreate:
		return r.nextRecreate(old)
	default:
		return r.nextCurrent(), r.nextOld(old)
	}
}

// scalePaused adds the difference to the newest set that has machines. No machines move between sets.
func (r rollout) scalePaused(hasCurrent bool, old []int32) (int32, []int32) {
	difference := r.desired - r.wanted()
	if hasCurrent {
		current := max(r.current.wanted+difference, 0)
		return current, old
	}
	for i := len(old) - 1; i >= 0; i-- {
		if old[i] > 0 || i == 0 {
			old[i] = max(old[i]+difference, 0)
			break
		}
	}
	return 0, old
}

// nextRecreate empties the old sets, then fills the current one.
func (r rollout) nextRecreate(old []int32) (int32, []int32) {
	exist := int32(0)
	for i, set := range r.old {
		old[i] = 0
		exist += set.exist
	}
	if exist > 0 {
		return min(r.current.wanted, r.desired), old
	}
	return r.desired, old
}

// nextCurrent grows the current set as far as the surge allows. It shrinks the set at once.
func (r rollout) nextCurrent() int32 {
	if r.current.wanted >= r.desired {
		return r.desired
	}
	room := r.desired + r.surge - r.wanted()
	return r.current.wanted + min(max(room, 0), r.desired-r.current.wanted)
}

// nextOld shrinks old sets as long as enough machines stay available. Unavailable machines are removed first,
// because they are no loss.
func (r rollout) nextOld(old []int32) []int32 {
	keep := r.desired - r.unavailable
	available := r.current.available
	// Unavailable machines of the current set do not make up for removed ones.
	budget := min(r.current.available, r.current.wanted) - keep
	for _, set := range r.old {
		budget += set.wanted
		available += set.available
	}
	for i, set := range r.old {
		n := min(max(set.wanted-set.available, 0), max(budget, 0))
		old[i] -= n
		budget -= n
	}
	spare := min(available-keep, budget)
	for i := range r.old {
		n := min(old[i], max(spare, 0))
		old[i] -= n
		spare -= n
	}
	return old
}

func (r rollout) wanted() int32 {
	sum := r.current.wanted
	for _, set := range r.old {
		sum += set.wanted
	}
	return sum
}

// bounds resolves maxSurge (rounded up) and maxUnavailable (rounded down). They are never both zero, because the
// update would then never progress.
func bounds(spec *machinev1alpha1.MachineDeploymentSpec) (surge, unavailable int32) {
	maxSurge, maxUnavailable := intstr.FromInt32(1), intstr.FromInt32(1)
	limits := machinev1alpha1.UpdateConfiguration{}
	if rolling := spec.Strategy.RollingUpdate; rolling != nil {
		limits = rolling.UpdateConfiguration
	}
	if inPlace := spec.Strategy.InPlaceUpdate; inPlace != nil && updatesInPlace(spec) {
		limits = inPlace.UpdateConfiguration
	}
	if limits.MaxSurge != nil {
		maxSurge = *limits.MaxSurge
	}
	if limits.MaxUnavailable != nil {
		maxUnavailable = *limits.MaxUnavailable
	}
	surge = scaled(maxSurge, spec.Replicas, true)
	unavailable = min(scaled(maxUnavailable, spec.Replicas, false), spec.Replicas)
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	return surge, unavailable
}

// scaled resolves a percentage. An unreadable one counts as 1.
func scaled(value intstr.IntOrString, replicas int32, roundUp bool) int32 {
	n, err := intstr.GetScaledValueFromIntOrPercent(&value, int(replicas), roundUp)
	if err != nil {
		return 1
	}
	return int32(max(n, 0))
}
