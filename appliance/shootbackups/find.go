// Package shootbackups finds the snapshots of a shoot's etcd, in whichever store they are. The etcd need not run.
package shootbackups

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// etcd is the name of the etcd that is backed up.
const etcd = "etcd-main"

// listTime bounds the wait for an object store.
const listTime = time.Minute

// Errors that are not about a store.
var (
	// ErrNoShoot means that the shoot does not exist.
	ErrNoShoot = errors.New("it does not exist")
	// ErrNotBackedUp means that the shoot has no BackupEntry.
	ErrNotBackedUp = errors.New("it has no backup entry")
	// ErrNoCredentials means that neither the seed nor the garden has credentials for the bucket.
	ErrNoCredentials = errors.New("there are no credentials for its bucket")
)

// Finder finds the snapshots of shoots.
type Finder struct {
	Garden client.Reader
	// Seed returns a reader of a seed. Its error does not matter if the garden has the credentials.
	Seed func(ctx context.Context, name string) (client.Reader, error)
	// Dir is the directory of the buckets of provider local of a seed.
	Dir func(seed string) string
}

// found is a place of snapshots.
type found struct {
	store.Config
	// by is the Secret with the credentials, in words; empty for a directory.
	by string
}

// List returns the snapshots of a shoot, the oldest first.
func (f Finder) List(ctx context.Context, shoot types.NamespacedName) ([]snapshot.Snapshot, error) {
	at, err := f.find(ctx, shoot)
	if err != nil {
		return nil, err
	}
	opened, err := store.Open(ctx, at.Config)
	if err != nil {
		return nil, at.failed(err)
	}
	defer opened.Close()
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	all, err := opened.List(ctx)
	return all, at.failed(err)
}

func (f found) failed(err error) error {
	if err == nil || f.by == "" {
		return err
	}
	return fmt.Errorf("bucket %q of provider %q, with the credentials in %s: %w", f.Container, f.Provider, f.by, err)
}

// find asks the garden where a shoot is backed up. It knows it, also if the seed is lost.
func (f Finder) find(ctx context.Context, key types.NamespacedName) (found, error) {
	shoot := &gardencorev1beta1.Shoot{}
	if err := f.Garden.Get(ctx, key, shoot); apierrors.IsNotFound(err) {
		return found{}, fmt.Errorf("shoot %s: %w", key, ErrNoShoot)
	} else if err != nil {
		return found{}, fmt.Errorf("read shoot %s: %w", key, err)
	}
	name := fmt.Sprintf("%s--%s", shoot.Status.TechnicalID, shoot.Status.UID)
	entry := &gardencorev1beta1.BackupEntry{}
	if err := f.Garden.Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: name}, entry); apierrors.IsNotFound(err) {
		return found{}, fmt.Errorf("shoot %s: %w", key, ErrNotBackedUp)
	} else if err != nil {
		return found{}, fmt.Errorf("read backup entry %q: %w", name, err)
	}
	bucket := &gardencorev1beta1.BackupBucket{}
	if err := f.Garden.Get(ctx, types.NamespacedName{Name: entry.Spec.BucketName}, bucket); err != nil {
		return found{}, fmt.Errorf("read backup bucket %q: %w", entry.Spec.BucketName, err)
	}
	at := found{Config: store.Config{Provider: bucket.Spec.Provider.Type, Container: bucket.Name, Prefix: name + "/" + etcd}}
	if err := at.Validate(); err != nil {
		return found{}, fmt.Errorf("shoot %s: %w", key, err)
	}
	seed := ptr.Deref(entry.Spec.SeedName, "")
	if strings.EqualFold(at.Provider, location.Local) {
		at.Dir = f.Dir(seed)
		return at, nil
	}
	var err error
	at.Secret, at.by, err = f.credentials(ctx, seed, shoot.Status.TechnicalID, bucket)
	if err != nil {
		return found{}, fmt.Errorf("shoot %s: %w", key, err)
	}
	return at, nil
}

// credentials are those of the shoot's etcd; those that the garden has for the bucket if the seed cannot be asked, or has none.
func (f Finder) credentials(ctx context.Context, seed, namespace string, bucket *gardencorev1beta1.BackupBucket) (map[string][]byte, string, error) {
	data, ofSeed := f.inSeed(ctx, seed, namespace)
	if ofSeed == nil {
		return data, fmt.Sprintf("Secret %s/%s of seed %q", namespace, constants.BackupSecretName, seed), nil
	}
	ref := helper.BucketCredentials(bucket)
	secret := &corev1.Secret{}
	if err := f.Garden.Get(ctx, ref, secret); err != nil {
		return nil, "", fmt.Errorf("%w %q: %w; %w", ErrNoCredentials, bucket.Name, ofSeed, fmt.Errorf("read Secret %s of the garden: %w", ref, err))
	}
	data = map[string][]byte{"region": []byte(bucket.Spec.Provider.Region)} // extensions add it to the Secret of the etcd
	for name, value := range secret.Data {
		data[name] = value
	}
	return data, fmt.Sprintf("Secret %s of the garden", ref), nil
}

func (f Finder) inSeed(ctx context.Context, seed, namespace string) (map[string][]byte, error) {
	reader, err := f.Seed(ctx, seed)
	if err != nil {
		return nil, err
	}
	secret, key := &corev1.Secret{}, types.NamespacedName{Namespace: namespace, Name: constants.BackupSecretName}
	if err := reader.Get(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("read Secret %s of seed %q: %w", key, seed, err)
	}
	return secret.Data, nil
}
