// Package etcd deploys the etcds of a shoot and the BackupEntry for their backups.
package etcd

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
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

// DeployAsIs is Deploy for a shoot that leaves the seed: members go on checking the owner they have checked. Nobody publishes a record
// that is not there yet.
func (e Etcd) DeployAsIs(ctx context.Context, made credentials.Made) error {
	found := object(component.Main, e.Space.Name)
	if err := e.Space.Client.Get(ctx, client.ObjectKeyFromObject(found), found); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read %s: %w", found.Name, err)
	}
	e.Owner = nil
	if check := found.Spec.Backup.OwnerCheck; check != nil {
		e.Owner = &component.Owner{Name: check.Name, ID: check.ID}
	}
	return e.Deploy(ctx, made)
}

// Deploy writes the objects of both etcds.
func (e Etcd) Deploy(ctx context.Context, made credentials.Made) error {
	replicas, err := e.replicas(ctx)
	if err != nil {
		return err
	}
	for _, role := range roles {
		secrets, err := component.GenerateSecrets(ctx, made.Manager, role)
		if err != nil {
			return err
		}
		values := component.Values{
			Namespace: e.Space.Name, Role: role, Secrets: secrets, Replicas: replicas[role], Availability: e.Space.Availability, Owner: e.Owner,
			WindowBegin: operation.WindowBegin(e.Shoot), ShootUID: operation.UID(e.Shoot),
		}
		if backup := e.Seed.Spec.Backup; backup != nil {
			values.Backup = &component.Backup{
				Provider: backup.Provider, Bucket: string(e.Seed.UID), Prefix: e.BackupEntry, SecretName: constants.BackupSecretName,
				BackupSettings: e.Backups,
			}
		}
		if values.Requests, err = e.scale(ctx, role); err != nil {
			return err
		}
		if _, err := e.Space.Apply(ctx, component.Object(values)); err != nil {
			return err
		}
	}
	return nil
}

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

// Destroy deletes the objects and then their data, which nothing else deletes.
func (e Etcd) Destroy(ctx context.Context) error {
	for _, role := range roles {
		if err := e.stopScaling(ctx, role); err != nil {
			return err
		}
		if err := e.Space.Extensions.Delete(ctx, object(role, e.Space.Name)); err != nil {
			return err
		}
	}
	return nil
}

// AwaitGone waits until both etcds are gone and deletes their volumes.
func (e Etcd) AwaitGone(ctx context.Context) error {
	for _, role := range roles {
		if err := await.Gone(ctx, e.Space.Client, object(role, e.Space.Name), nil); err != nil {
			return err
		}
	}
	err := e.Space.Client.DeleteAllOf(ctx, &corev1.PersistentVolumeClaim{}, client.InNamespace(e.Space.Name))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete volumes of etcd: %w", err)
	}
	return nil
}

func object(role, namespace string) *druidv1alpha1.Etcd {
	return &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Name: component.Name(role), Namespace: namespace}}
}
