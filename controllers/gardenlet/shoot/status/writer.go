// Package status writes the status of a Shoot. Several places of one run can write without losing changes.
package status

import (
	"context"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Writer changes the status of one Shoot. It may be used by several goroutines.
type Writer struct {
	client client.Client
	lock   sync.Mutex
	shoot  *gardencorev1beta1.Shoot
}

// New starts from a copy of the Shoot.
func New(c client.Client, shoot *gardencorev1beta1.Shoot) *Writer {
	return &Writer{client: c, shoot: shoot.DeepCopy()}
}

// Update writes the changes that change makes to the status, and sends nothing if there are none. It does not touch
// other fields of the status, which the care controller and others write.
func (w *Writer) Update(ctx context.Context, change func(*gardencorev1beta1.ShootStatus)) error {
	w.lock.Lock()
	defer w.lock.Unlock()
	before := w.shoot.DeepCopy()
	next := w.shoot.DeepCopy()
	change(&next.Status)
	if err := patch.Status(ctx, w.client, next, before); err != nil {
		return err
	}
	w.shoot = next
	return nil
}

// Shoot returns a copy of the Shoot with the status that was written last.
func (w *Writer) Shoot() *gardencorev1beta1.Shoot {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.shoot.DeepCopy()
}
