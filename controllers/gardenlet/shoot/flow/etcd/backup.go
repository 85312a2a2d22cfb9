package etcd

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/project"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Backup is the BackupEntry of a shoot: its location in the backup bucket of the seed.
type Backup struct {
	Shoot *gardencorev1beta1.Shoot
	Seed  *gardencorev1beta1.Seed
	// Name of the BackupEntry.
	Name    string
	Project project.Project
	// GardenReader reads without a cache.
	GardenReader client.Reader
	Clock        clock.PassiveClock
}

// Deploy writes the BackupEntry; another controller creates the location in the bucket.
func (b Backup) Deploy(ctx context.Context) error {
	object := b.entry()
	object.OwnerReferences = b.Project.Artefact("", "").OwnerReferences
	if purpose := b.Shoot.Spec.Purpose; purpose != nil {
		object.Annotations = map[string]string{constants.ShootPurpose: string(*purpose)}
	}
	object.Spec = gardencorev1beta1.BackupEntrySpec{BucketName: string(b.Seed.UID), SeedName: ptr.To(b.Seed.Name)}
	return b.Project.Apply(ctx, object)
}

func (b Backup) entry() *gardencorev1beta1.BackupEntry {
	return &gardencorev1beta1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Shoot.Namespace}}
}

// find returns the entry; nil if there is none. A gardenlet may list all entries, but get and delete only those that the admission
// controller knows already to be of its seed. So a list tells an entry that does not exist from one that is new.
func (b Backup) find(ctx context.Context) (*gardencorev1beta1.BackupEntry, error) {
	list := &gardencorev1beta1.BackupEntryList{}
	if err := b.GardenReader.List(ctx, list, client.InNamespace(b.Shoot.Namespace), client.MatchingFields{metav1.ObjectNameField: b.Name}); err != nil {
		return nil, fmt.Errorf("look for backup entry %q: %w", b.Name, err)
	}
	if len(list.Items) == 0 {
		return nil, nil
	}
	return &list.Items[0], nil
}

// Await polls, since this is the only wait for an object in the garden.
func (b Backup) Await(ctx context.Context) error {
	object := b.entry()
	return await.Poll(ctx, func() error {
		if err := b.GardenReader.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return fmt.Errorf("read backup entry %q: %w", object.Name, err)
		}
		switch status := object.Status; {
		case status.LastError != nil:
			return fmt.Errorf("backup entry %q: %s", object.Name, status.LastError.Description)
		case status.ObservedGeneration != object.Generation || status.LastOperation == nil:
			return fmt.Errorf("backup entry %q has not been reconciled yet", object.Name)
		case status.LastOperation.State != gardencorev1beta1.LastOperationStateSucceeded:
			return fmt.Errorf("backup entry %q is %s", object.Name, status.LastOperation.State)
		}
		return nil
	})
}
