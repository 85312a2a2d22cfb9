package seedhost

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// heldFactor is how late a lease may be, in multiples of its duration, before its gardenlet counts as gone.
const heldFactor = 10

// otherHolder returns the name of a gardenlet in another process that holds the Seed: it wrote the status and still
// renews the lease.
func (r *Reconciler) otherHolder(ctx context.Context, seed *gardencorev1beta1.Seed) (string, error) {
	last := seed.Status.Gardener
	if last == nil || last.ID == r.ID {
		return "", nil
	}
	lease := &coordinationv1.Lease{}
	key := client.ObjectKey{Namespace: constants.GardenerSeedLeaseNamespace, Name: seed.Name}
	if err := r.Reader.Get(ctx, key, lease); client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read lease of seed %q: %w", seed.Name, err)
	}
	if !held(lease, r.Clock.Now()) {
		return "", nil
	}
	return last.Name, nil
}

func held(lease *coordinationv1.Lease, now time.Time) bool {
	if lease.Spec.RenewTime == nil || lease.Spec.LeaseDurationSeconds == nil {
		return false
	}
	limit := heldFactor * time.Duration(*lease.Spec.LeaseDurationSeconds) * time.Second
	return now.Sub(lease.Spec.RenewTime.Time) < limit
}
