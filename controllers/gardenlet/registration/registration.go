// Package registration registers the Seed of a gardenlet in the garden when the gardenlet starts. Afterwards it keeps only what says what the
// gardenlet does, and leaves the rest of the Seed to others.
package registration

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Registration is a runnable for the manager of the garden. It creates or updates the Seed, and retries until it
// succeeds or the manager stops.
type Registration struct {
	Client client.Client
	Reader client.Reader // uncached, so that it works while caches start
	// Seed to register. A Seed with a UID already exists in the garden and has another owner: it stays as it is.
	Seed gardencorev1beta1.SeedTemplate
	// NoOwnerChecks switches the setting off, also that of a Seed with another owner: other seeds and extensions read it, and records of
	// owners that nobody publishes must not be checked.
	NoOwnerChecks bool
	// SharesBackups is the value of the annotation that says so, also on a Seed with another owner.
	SharesBackups bool
}

// Start blocks until the Seed is registered or ctx ends.
func (r *Registration) Start(ctx context.Context) error {
	logger := log.FromContext(ctx).WithName("gardenlet-registration")
	backoff := wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Steps: 8, Cap: 10 * time.Second}
	for {
		err := r.Register(ctx)
		if err == nil {
			logger.Info("Registered seed", "seed", r.Seed.Name)
			return nil
		}
		logger.Info("Cannot register seed yet", "seed", r.Seed.Name, "reason", err.Error())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(backoff.Step()):
		}
	}
}

// Register creates the Seed, or updates the existing one to the configured state. It keeps labels and annotations that
// others set.
func (r *Registration) Register(ctx context.Context) error {
	if err := r.ensureLeaseNamespace(ctx); err != nil {
		return err
	}
	seed := &gardencorev1beta1.Seed{}
	err := r.Reader.Get(ctx, client.ObjectKey{Name: r.Seed.Name}, seed)
	if apierrors.IsNotFound(err) && r.Seed.UID != "" {
		return nil
	}
	if apierrors.IsNotFound(err) {
		seed = &gardencorev1beta1.Seed{
			ObjectMeta: metav1.ObjectMeta{Name: r.Seed.Name, Labels: r.Seed.Labels, Annotations: maps.Clone(r.Seed.Annotations)},
			Spec:       *r.Seed.Spec.DeepCopy(),
		}
		r.settle(seed)
		if err := r.Client.Create(ctx, seed); err != nil {
			return fmt.Errorf("create seed %q: %w", r.Seed.Name, err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read seed %q: %w", r.Seed.Name, err)
	}
	before := seed.DeepCopy()
	if r.Seed.UID != "" {
		return r.update(ctx, seed, before)
	}
	seed.Labels, seed.Annotations = labels.Merge(seed.Labels, r.Seed.Labels), labels.Merge(seed.Annotations, r.Seed.Annotations)
	seed.Spec = *r.Seed.Spec.DeepCopy()
	return r.update(ctx, seed, before)
}

// settle makes a Seed match the settings of the gardenlet.
func (r *Registration) settle(seed *gardencorev1beta1.Seed) {
	if settings := seed.Spec.Settings; r.NoOwnerChecks && settings != nil && settings.OwnerChecks != nil {
		settings.OwnerChecks.Enabled = false
	}
	says := map[string]string{helper.AnnotationSharesBackups: strconv.FormatBool(r.SharesBackups)}
	if keeps, said := r.Seed.Annotations[helper.AnnotationKeepsOwners]; said && r.Seed.UID == "" {
		says[helper.AnnotationKeepsOwners] = keeps
	}
	seed.Annotations = labels.Merge(seed.Annotations, says)
}

// update writes a Seed unless it is as it was.
func (r *Registration) update(ctx context.Context, seed, before *gardencorev1beta1.Seed) error {
	r.settle(seed)
	if equality.Semantic.DeepEqual(seed, before) {
		return nil
	}
	if err := r.Client.Patch(ctx, seed, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("update seed %q: %w", r.Seed.Name, err)
	}
	return nil
}

func (r *Registration) ensureLeaseNamespace(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: constants.GardenerSeedLeaseNamespace}}
	if err := r.Client.Create(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace %q: %w", namespace.Name, err)
	}
	return nil
}
