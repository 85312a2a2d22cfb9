// Package status writes the status of a Shoot, as long as the seed of the writer is responsible for it. Several places of one run can write
// without losing changes.
package status

import (
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Config says where a Writer writes, and for whom.
type Config struct {
	// Client writes, and Reader reads without a cache.
	Client client.Client
	Reader client.Reader
	// SeedName is the seed that writes.
	SeedName string
}

// LostError means that the Shoot is not of the seed any longer. Nothing was written.
type LostError struct{ Shoot, Seed string }

func (e *LostError) Error() string {
	return fmt.Sprintf("shoot %s is not of seed %q any longer", e.Shoot, e.Seed)
}

// Lost reports whether an error is, or contains, a LostError.
func Lost(err error) bool {
	lost := (*LostError)(nil)
	return errors.As(err, &lost)
}

// Writer changes the status of one Shoot. It may be used by several goroutines.
type Writer struct {
	config Config
	lock   sync.Mutex
	shoot  *gardencorev1beta1.Shoot
}

// New starts from a copy of the Shoot, for which the seed was responsible.
func New(config Config, shoot *gardencorev1beta1.Shoot) *Writer {
	return &Writer{config: config, shoot: shoot.DeepCopy()}
}

// Update writes the changes that change makes to the status, and sends nothing if there are none. It does not touch other fields of the
// status, which the care controller and others write. If the Shoot has changed meanwhile, change is applied to the newer status, unless
// another seed is responsible by now: then Update returns a LostError.
func (w *Writer) Update(ctx context.Context, change func(*gardencorev1beta1.ShootStatus)) error {
	w.lock.Lock()
	defer w.lock.Unlock()
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		next := w.shoot.DeepCopy()
		change(&next.Status)
		err := patch.StatusUnlessChanged(ctx, w.config.Client, next, w.shoot)
		if err == nil {
			w.shoot = next
		}
		if !apierrors.IsConflict(err) {
			return err
		}
		if unread := w.read(ctx); unread != nil {
			return client.IgnoreNotFound(unread) // as for a Shoot that is gone before
		}
		return err
	})
}

// Refresh reads the Shoot again. It returns a LostError if another seed is responsible for it.
func (w *Writer) Refresh(ctx context.Context) error {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.read(ctx)
}

func (w *Writer) read(ctx context.Context) error {
	key, current := client.ObjectKeyFromObject(w.shoot), &gardencorev1beta1.Shoot{}
	if err := w.config.Reader.Get(ctx, key, current); err != nil {
		return fmt.Errorf("read shoot %q: %w", key, err)
	}
	if current.UID != w.shoot.UID || helper.ResponsibleSeed(current) != w.config.SeedName {
		return &LostError{Shoot: key.String(), Seed: w.config.SeedName}
	}
	w.shoot = current
	return nil
}

// Shoot returns a copy of the Shoot with the status that was written last.
func (w *Writer) Shoot() *gardencorev1beta1.Shoot {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.shoot.DeepCopy()
}
