// Package controlplane deploys the components beside kube-apiserver: gardener-resource-manager, kube-controller-manager
// and kube-scheduler.
package controlplane

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/shootsystem"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
)

// ResourceManager is gardener-resource-manager.
type ResourceManager struct {
	Space    seed.Space
	Exposure exposure.Shoot
	Replicas int32
	// SeedIdentity is the identity of the seed cluster.
	SeedIdentity string
}

// Deploy writes the Deployment and what it needs.
func (r ResourceManager) Deploy(ctx context.Context, made credentials.Made) error {
	mount, err := resourcemanager.Access.Mount(ctx, made.Manager)
	if err != nil {
		return err
	}
	host, err := r.Exposure.ServiceHost()
	if err != nil {
		return err
	}
	objects, _ := resourcemanager.Objects(resourcemanager.Values{
		Namespace: r.Space.Name, Image: r.Space.Image, Replicas: r.Replicas, ClusterIdentity: r.SeedIdentity, ServiceHost: host, Access: mount,
	})
	if err := r.Space.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	rights := shootsystem.APIServer()
	if !r.Exposure.Tunnelled() {
		rights = append(rights, shootsystem.PodNetwork()...)
	}
	return r.Space.DeployManaged(ctx, shootsystem.ResourceAPIServer, false, rights...)
}

// Await waits until the Deployment is rolled out.
func (r ResourceManager) Await(ctx context.Context) error {
	return r.Space.AwaitDeployment(ctx, resourcemanager.Name)
}

// Destroy deletes the Deployment and its permissions.
func (r ResourceManager) Destroy(ctx context.Context) error {
	if err := r.Space.DeleteDeployment(ctx, resourcemanager.Name); err != nil {
		return err
	}
	return r.Space.DeleteServiceAccount(ctx, resourcemanager.Name)
}
