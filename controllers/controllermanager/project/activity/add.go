package activity

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// AddToManager adds the controller to the manager of the garden. Of Secrets it watches metadata only.
func (r *Reconciler) AddToManager(mgr manager.Manager, options workers.Options) error {
	const name = "controllermanager-project-activity"
	note := activities(clock.RealClock{})
	b := builder.TypedControllerManagedBy[Activity](mgr).
		Named(name).
		WithOptions(workers.For[Activity](options)).
		WatchesMetadata(&corev1.Secret{}, note)
	for _, kind := range []client.Object{
		&gardencorev1beta1.Shoot{}, &gardencorev1beta1.Plant{}, &gardencorev1beta1.BackupEntry{}, &gardencorev1beta1.Quota{},
	} {
		b = b.Watches(kind, note)
	}
	if err := b.Complete(r); err != nil {
		return fmt.Errorf("add controller %q: %w", name, err)
	}
	return nil
}
