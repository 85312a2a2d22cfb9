package rotation

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

type pendingPools = []gardencorev1beta1.PendingWorkersRollout

// pending lists all pools of the Shoot with the rotation that their machines know.
func (r Rotations) pending(last *metav1.Time) pendingPools {
	var out pendingPools
	for _, worker := range r.Workers {
		out = append(out, gardencorev1beta1.PendingWorkersRollout{Name: worker.Name, LastInitiationTime: last})
	}
	return out
}

// rollOutForRotation takes pools off the lists of those that rotations wait for.
func (r Rotations) rollOutForRotation(pools []string) {
	drop := func(phase gardencorev1beta1.CredentialsRotationPhase, pending *pendingPools) {
		if phase == gardencorev1beta1.RotationWaitingForWorkersRollout {
			*pending = slices.DeleteFunc(*pending, func(pool gardencorev1beta1.PendingWorkersRollout) bool { return slices.Contains(pools, pool.Name) })
		}
	}
	have := known(r.Status)
	if x := have.CertificateAuthorities; x != nil {
		drop(x.Phase, &x.PendingWorkersRollouts)
	}
	if x := have.ServiceAccountKey; x != nil {
		drop(x.Phase, &x.PendingWorkersRollouts)
	}
}

// rollOutByHand records when a user had pools rolled out without a rotation. Providers replace the machines that are older.
func (r Rotations) rollOutByHand(pools []string) {
	record := &gardencorev1beta1.ManualWorkerPoolRollout{}
	if r.Status.ManualWorkerPoolRollout != nil {
		record = r.Status.ManualWorkerPoolRollout
	}
	for _, worker := range r.Workers {
		if !slices.Contains(pools, worker.Name) && !slices.Equal(pools, []string{"*"}) {
			continue
		}
		entry := gardencorev1beta1.PendingWorkersRollout{Name: worker.Name, LastInitiationTime: r.stamp()}
		if i := slices.IndexFunc(record.PendingWorkersRollouts, func(p gardencorev1beta1.PendingWorkersRollout) bool { return p.Name == worker.Name }); i >= 0 {
			record.PendingWorkersRollouts[i] = entry
		} else {
			record.PendingWorkersRollouts = append(record.PendingWorkersRollouts, entry)
		}
	}
	r.Status.ManualWorkerPoolRollout = record
}

// present leaves out pools that the Shoot no longer has.
func (r Rotations) present(pending pendingPools) pendingPools {
	return slices.DeleteFunc(pending, func(pool gardencorev1beta1.PendingWorkersRollout) bool {
		return !slices.ContainsFunc(r.Workers, func(worker gardencorev1beta1.Worker) bool { return worker.Name == pool.Name })
	})
}
