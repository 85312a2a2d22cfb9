// Package etcd deploys the etcds of a shoot and the BackupEntry for their backups.
package etcd

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// Etcd is the pair of etcds of a shoot, one for events and one for all other objects.
type Etcd struct {
	Shoot *gardencorev1beta1.Shoot
	Seed  *gardencorev1beta1.Seed
	// BackupEntry is the name of the BackupEntry.
	BackupEntry string
	Space       seed.Space
	// SeedConfig reaches the API server of the seed, for backup servers in a network of their own.
	SeedConfig *rest.Config
	// Replicas is the number of members that run; zero if the shoot sleeps. Members is their number in an awake shoot.
	Replicas, Members int32
	// Restored means that the shoot comes from another seed. One member restores the backups, before the others join it.
	Restored bool
	Backups  component.BackupSettings
	// Owner is what the members check, nil if nothing. Its record is published before they begin.
	Owner *component.Owner
	// Scaled means that the requests of the members follow recommendations.
	Scaled bool
}

var roles = []string{component.Main, component.Events}

// Scale changes the number of members; the operation annotation notifies the druid.
func (e Etcd) Scale(ctx context.Context, replicas int32) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}},"spec":{"replicas":%d}}`,
		constants.GardenerOperation, constants.GardenerOperationReconcile, replicas)
	for _, role := range roles {
		err := e.Space.Client.Patch(ctx, object(role, e.Space.Name), client.RawPatch("application/merge-patch+json", patch), seed.Owner)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("scale %s to %d: %w", component.Name(role), replicas, err)
		}
	}
	return nil
}

// Stop stops all members and waits until they have ended.
func (e Etcd) Stop(ctx context.Context) error {
	if err := e.Scale(ctx, 0); err != nil {
		return err
	}
	if err := e.Space.AwaitNoPods(ctx, component.PodLabels()); err != nil {
		return fmt.Errorf("stop etcds: %w", err)
	}
	return nil
}

// ScaleUp starts the hibernated members.
func (e Etcd) ScaleUp(ctx context.Context) error { return e.Scale(ctx, e.Members) }

// Await waits until both etcds are ready.
func (e Etcd) Await(ctx context.Context) error { return e.await(ctx, roles) }

func (e Etcd) await(ctx context.Context, roles []string) error {
	for _, role := range roles {
		found := object(role, e.Space.Name)
		err := await.Until(ctx, e.Space.Client, found, func() error { return health.Etcd(found) })
		if err != nil {
			return fmt.Errorf("wait for %s: %w", found.Name, err)
		}
	}
	return nil
}

func object(role, namespace string) *druidv1alpha1.Etcd {
	return &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Name: component.Name(role), Namespace: namespace}}
}
