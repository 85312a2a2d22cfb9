package etcd

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
)

// Location is where the backups of one etcd are.
type Location struct {
	// Provider of the bucket, and the Seed that the bucket belongs to.
	Provider, Seed string
	// Bucket and Prefix as in the specification of an Etcd.
	Bucket, Prefix string
}

// remote reports whether the bucket is in an object store, which nodes reach with credentials.
func (l Location) remote() bool {
	_, remote := location.Remote(l.Provider)
	return remote
}

// directory reports whether the bucket is a directory of a landscape.
func (l Location) directory() bool { return strings.EqualFold(l.Provider, location.Local) }

// Access lets the nodes of a seed read backups in the bucket of another seed, which is a directory of the landscape.
type Access interface {
	// Grant makes the backups at a location readable for the nodes of a seed, at the same bucket and prefix. It returns an error if an
	// etcd cannot be restored from them. It may be called again, and then adds new backups.
	Grant(ctx context.Context, of Location, to string) error
	// Revoke ends that. It needs only the bucket and the prefix. It may be called again.
	Revoke(ctx context.Context, of Location, to string) error
}

// Source are the backups in the bucket of the seed that a shoot comes from. Their BackupEntry exists from the beginning of a restoration
// until the new etcd runs, and so remembers the bucket.
type Source struct {
	Backup
	Space seed.Space
	// Access is the way to buckets that are directories; nil if there is none.
	Access Access
}

func (s Source) source() Backup {
	out := s.Backup
	out.Name = constants.BackupSourcePrefix + s.Name
	return out
}

// Deploy gives this seed access to the backups. It does nothing once the backups of the shoot are in the bucket of this seed.
func (s Source) Deploy(ctx context.Context) error {
	bucket, err := s.bucket(ctx)
	if err != nil || bucket == string(s.Seed.UID) {
		return err
	}
	object := s.source().entry()
	object.OwnerReferences = s.Project.Artefact("", "").OwnerReferences
	object.Spec = gardencorev1beta1.BackupEntrySpec{BucketName: bucket, SeedName: ptr.To(s.Seed.Name)}
	return s.Project.Apply(ctx, object)
}

// bucket is the one that the entry of the shoot names.
func (s Source) bucket(ctx context.Context) (string, error) {
	entry := s.entry()
	if err := s.GardenReader.Get(ctx, client.ObjectKeyFromObject(entry), entry); err != nil {
		return "", fmt.Errorf("read backup entry %q, which leads to the backups of the shoot: %w", entry.Name, err)
	}
	return entry.Spec.BucketName, nil
}

// Await waits until the access is there.
func (s Source) Await(ctx context.Context) error {
	if entry, err := s.read(ctx); err != nil || entry == nil {
		return err
	}
	return s.source().Await(ctx)
}

// Destroy ends the access. It leaves an entry that the gardenlet may not read.
func (s Source) Destroy(ctx context.Context) error {
	entry, err := s.source().find(ctx)
	if apierrors.IsForbidden(err) {
		return nil
	}
	if err != nil || entry == nil {
		return err
	}
	if err := s.revoke(ctx, entry); err != nil {
		return err
	}
	if err := s.Project.Client.Delete(ctx, entry); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete backup entry %q: %w", entry.Name, err)
	}
	return nil
}

// read returns the entry of the source, and nil if the shoot has its backups in the bucket of this seed and needs no source. A missing
// entry is an error otherwise: the new etcd would begin empty.
func (s Source) read(ctx context.Context) (*gardencorev1beta1.BackupEntry, error) {
	entry, err := s.source().find(ctx)
	if err != nil || entry != nil {
		return entry, err
	}
	switch bucket, err := s.bucket(ctx); {
	case err != nil:
		return nil, err
	case bucket != string(s.Seed.UID):
		return nil, fmt.Errorf("backup entry %q, which leads to the backups in bucket %q, does not exist", s.source().Name, bucket)
	}
	return nil, nil
}

func (s Source) prefix() string { return s.Name + "/" + etcdMain }

// location is where the source has its backups.
func (s Source) location(ctx context.Context, entry *gardencorev1beta1.BackupEntry) (Location, error) {
	bucket := &gardencorev1beta1.BackupBucket{ObjectMeta: metav1.ObjectMeta{Name: entry.Spec.BucketName}}
	if err := s.GardenReader.Get(ctx, client.ObjectKeyFromObject(bucket), bucket); err != nil {
		return Location{}, fmt.Errorf("read backup bucket %q of the seed the shoot comes from: %w", bucket.Name, err)
	}
	return Location{Provider: bucket.Spec.Provider.Type, Seed: ptr.Deref(bucket.Spec.SeedName, ""), Bucket: bucket.Name, Prefix: s.prefix()}, nil
}

// reach returns where the source has its backups, once the nodes of this seed reach them. Those of an object store need no more than the
// credentials of the bucket.
func (s Source) reach(ctx context.Context, entry *gardencorev1beta1.BackupEntry) (Location, error) {
	from, err := s.location(ctx, entry)
	switch {
	case err != nil || from.remote():
		return from, err
	case !from.directory():
		return from, fmt.Errorf("bucket %q of seed %q is of provider %q, and backups are copied only from buckets of %s, %s and their infrastructures",
			from.Bucket, from.Seed, from.Provider, location.Local, strings.Join(location.Stores(), ", "))
	case s.Access == nil:
		return from, fmt.Errorf("bucket %q of seed %q is a directory that the nodes of seed %q do not have: move the shoot to a seed that the landscape of seed %q has brought up",
			from.Bucket, from.Seed, s.Seed.Name, from.Seed)
	}
	return from, s.Access.Grant(ctx, from, s.Seed.Name)
}

// revoke needs no BackupBucket, which may be gone with its seed.
func (s Source) revoke(ctx context.Context, entry *gardencorev1beta1.BackupEntry) error {
	bucket := entry.Spec.BucketName
	if s.Access == nil || bucket == string(s.Seed.UID) {
		return nil
	}
	if from, err := s.location(ctx, entry); err == nil && from.remote() {
		return nil
	}
	return s.Access.Revoke(ctx, Location{Bucket: bucket, Prefix: s.prefix()}, s.Seed.Name)
}
