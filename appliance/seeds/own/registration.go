package own

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Pauses between two checks of a Seed: the usual one, and the one while a change is expected soon.
const (
	registrationPeriod = 10 * time.Second
	registrationSoon   = time.Second
)

// registration keeps an own seed in the garden as an operator would: a Secret with the kubeconfig and a Seed that refers to
// it. What a user changes in the Seed stays. A user who deletes the Seed removes the seed.
type registration struct {
	name       string
	record     *record
	kubeconfig string // file by which the landscape reaches the cluster
	garden     func() (client.Client, error)
	describe   func(context.Context, store.Seed) (*config.SeedConfig, error)
	wake       <-chan struct{} // ends the pause
	finish     func()          // ends the seed after its Seed is gone
	log        logr.Logger

	registered atomic.Bool
}

func (r *registration) run(ctx context.Context) error {
	garden, err := r.garden()
	if err != nil {
		return err
	}
	system := &corev1.Namespace{}
	if err := garden.Get(ctx, types.NamespacedName{Name: metav1.NamespaceSystem}, system); err != nil {
		return fmt.Errorf("read identity of the garden: %w", err)
	}
	for {
		next, err := r.look(ctx, garden, string(system.UID))
		if err != nil {
			r.log.Info("Further seed is not registered yet", "seed", r.name, "reason", err.Error())
			next = registrationSoon
		}
		r.registered.Store(err == nil)
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		case <-time.After(next):
		}
	}
}

func (r *registration) ready(context.Context) error {
	if !r.registered.Load() {
		return errors.New("the seed is not registered yet")
	}
	return nil
}

// look checks the Seed once, does what is due, and returns the pause until the next check. uid is the UID of the garden.
func (r *registration) look(ctx context.Context, garden client.Client, uid string) (time.Duration, error) {
	r.record.mu.Lock()
	defer r.record.mu.Unlock()
	noted, known, err := r.record.get()
	if err != nil || !known {
		return registrationPeriod, err
	}
	seed := &gardencorev1beta1.Seed{}
	err = garden.Get(ctx, types.NamespacedName{Name: r.name}, seed)
	if apierrors.IsNotFound(err) {
		seed, err = nil, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read seed %q: %w", r.name, err)
	}
	switch stageOf(seed, noted, uid) {
	case seedMissing:
		if err := errors.Join(r.writeSecret(ctx, garden), ensureBackupSecret(ctx, garden, r.name)); err != nil {
			return 0, err
		}
		return registrationSoon, r.createSeed(ctx, garden, noted)
	case seedLeaving: // the cluster is needed until it is gone
		return registrationSoon, r.record.change(func(seed *store.Seed) { seed.Removing = true })
	case seedGone:
		return registrationPeriod, r.forget(ctx, garden)
	}
	if err := r.record.change(func(seed *store.Seed) { seed.Garden = uid }); err != nil {
		return 0, err
	}
	return registrationPeriod, r.writeSecret(ctx, garden)
}

// forget ends the seed after its Seed is gone.
func (r *registration) forget(ctx context.Context, garden client.Client) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: gardenNamespace, Name: secretName(r.name)}}
	if err := garden.Delete(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete kubeconfig of seed %q: %w", r.name, err)
	}
	if err := removeBackupSecret(ctx, garden, r.name); err != nil {
		return err
	}
	if err := r.record.change(func(seed *store.Seed) { seed.Removed = true }); err != nil {
		return err
	}
	r.finish()
	return nil
}

// writeSecret keeps the Secret equal to the kubeconfig file. The file changes when its certificate is renewed.
func (r *registration) writeSecret(ctx context.Context, garden client.Client) error {
	kubeconfig, err := os.ReadFile(r.kubeconfig)
	if err != nil {
		return fmt.Errorf("read kubeconfig of seed %q: %w", r.name, err)
	}
	wanted := map[string][]byte{"kubeconfig": kubeconfig}
	secret := &corev1.Secret{}
	key := types.NamespacedName{Namespace: gardenNamespace, Name: secretName(r.name)}
	err = garden.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}, Data: wanted}
		err = garden.Create(ctx, secret)
	} else if err == nil && !equality.Semantic.DeepEqual(secret.Data, wanted) {
		before := secret.DeepCopy()
		secret.Data = wanted
		err = garden.Patch(ctx, secret, client.MergeFrom(before))
	}
	if err != nil {
		return fmt.Errorf("write kubeconfig of seed %q: %w", r.name, err)
	}
	return nil
}

// createSeed creates a Seed that differs from the first one in its name, its ranges and its Secrets only.
func (r *registration) createSeed(ctx context.Context, garden client.Client, noted store.Seed) error {
	described, err := r.describe(ctx, noted)
	if err != nil {
		return err
	}
	seed := seedOf(noted.Name, described)
	if err := garden.Create(ctx, seed); err != nil {
		return fmt.Errorf("create seed %q: %w", noted.Name, err)
	}
	return nil
}

// deleteSeed deletes a Seed. It returns nil if the Seed does not exist.
func deleteSeed(ctx context.Context, garden client.Client, name string) error {
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := garden.Delete(ctx, seed); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete seed %q: %w", name, err)
	}
	return nil
}

// seedOf is the Seed of an own seed.
func seedOf(name string, described *config.SeedConfig) *gardencorev1beta1.Seed {
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: described.Annotations}, Spec: described.Spec}
	seed.Spec.SecretRef = &corev1.SecretReference{Namespace: gardenNamespace, Name: secretName(name)}
	if backup := described.Spec.Backup; backup != nil {
		seed.Spec.Backup = backup.DeepCopy()
		seed.Spec.Backup.SecretRef = corev1.SecretReference{Namespace: gardenNamespace, Name: backupSecretName(name)}
	}
	return seed
}
