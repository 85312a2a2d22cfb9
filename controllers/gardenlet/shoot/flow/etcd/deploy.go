package etcd

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

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
			Window: operation.Window(e.Shoot), ShootUID: operation.UID(e.Shoot),
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
