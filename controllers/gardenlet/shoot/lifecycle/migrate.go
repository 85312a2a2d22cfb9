package lifecycle

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/status"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// saved reads what another seed has saved of a shoot that is restored; nil for other operations. A restoration without it would give the
// shoot new authorities, which its nodes and users do not know.
func (r *Reconciler) saved(ctx context.Context, shoot *gardencorev1beta1.Shoot, kind gardencorev1beta1.LastOperationType) (*gardencorev1beta1.ShootState, error) {
	if kind != gardencorev1beta1.LastOperationTypeRestore {
		return nil, nil
	}
	state := &gardencorev1beta1.ShootState{}
	if err := r.GardenReader.Get(ctx, client.ObjectKeyFromObject(shoot), state); err != nil {
		return nil, fmt.Errorf("read the shoot state, from which the shoot is restored: %w", err)
	}
	return state, nil
}

// nextIdentity is the identity of the seed that a shoot moves to; empty for other operations, and if the seed has none yet.
func (r *Reconciler) nextIdentity(ctx context.Context, shoot *gardencorev1beta1.Shoot, kind gardencorev1beta1.LastOperationType) (string, error) {
	if kind != gardencorev1beta1.LastOperationTypeMigrate {
		return "", nil
	}
	seed := &gardencorev1beta1.Seed{}
	if err := r.GardenReader.Get(ctx, client.ObjectKey{Name: ptr.Deref(shoot.Spec.SeedName, "")}, seed); err != nil {
		return "", fmt.Errorf("read the seed that the shoot moves to: %w", err)
	}
	return ptr.Deref(seed.Status.ClusterIdentity, ""), nil
}

// migrated ends the responsibility of this seed for a Shoot. The status is written last: with it the gardenlet of the other seed begins,
// and this one may not write the Shoot any more.
func (r *Reconciler) migrated(ctx context.Context, shoot *gardencorev1beta1.Shoot, writer *status.Writer, op *operation.Operation) error {
	cluster := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: op.TechnicalID()}}
	if err := r.Seed.Delete(ctx, cluster); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete cluster %q: %w", cluster.Name, err)
	}
	description, event := doneText(gardencorev1beta1.LastOperationTypeMigrate)
	r.Recorder.Eventf(shoot, nil, corev1.EventTypeNormal, event, event, "%s", description)
	return writer.Update(ctx, func(s *gardencorev1beta1.ShootStatus) {
		s.LastOperation = &gardencorev1beta1.LastOperation{
			Type: gardencorev1beta1.LastOperationTypeMigrate, State: gardencorev1beta1.LastOperationStateSucceeded,
			Description: description, Progress: 100, LastUpdateTime: r.now(),
		}
		s.SeedName, s.LastErrors, s.RetryCycleStartTime = nil, nil, nil
	})
}
