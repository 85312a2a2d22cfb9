// Package machines deploys the controllers of the machines of a shoot: machine-controller-manager and the cluster
// autoscaler.
package machines

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/machinecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/shootsystem"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// Manager is machine-controller-manager.
type Manager struct {
	Space    seed.Space
	Replicas int32
}

// Deploy writes the Deployment and its permissions in the shoot.
func (m Manager) Deploy(ctx context.Context, made credentials.Made) error {
	mount, err := machinecontrollermanager.Access.Mount(ctx, made.Manager)
	if err != nil {
		return err
	}
	objects, _ := machinecontrollermanager.Objects(machinecontrollermanager.Values{Namespace: m.Space.Name, Image: m.Space.Image, Replicas: m.Replicas, Access: mount})
	if err := m.Space.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	return m.Space.DeployManaged(ctx, shootsystem.ResourceMachines, false, machinecontrollermanager.ShootObjects()...)
}

// ScaleDown stops the controller when the last machine is gone, since draining a machine needs it to the end.
func (m Manager) ScaleDown(ctx context.Context) error {
	err := await.Poll(ctx, func() error {
		list := &machinev1alpha1.MachineList{}
		if err := m.Space.Client.List(ctx, list, client.InNamespace(m.Space.Name), client.Limit(1)); err != nil {
			return fmt.Errorf("list machines: %w", err)
		}
		if len(list.Items) > 0 {
			return fmt.Errorf("machine %q is still there", list.Items[0].Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.Space.Scale(ctx, machinecontrollermanager.Name, 0)
}

// AwaitGone waits until the Deployment and its pods are gone.
func (m Manager) AwaitGone(ctx context.Context) error {
	return m.Space.AwaitDeploymentGone(ctx, machinecontrollermanager.Name)
}

// Delete deletes the Deployment and its permissions.
func (m Manager) Delete(ctx context.Context) error {
	if err := m.Space.DeleteDeployment(ctx, machinecontrollermanager.Name); err != nil {
		return err
	}
	return m.Space.DeleteServiceAccount(ctx, machinecontrollermanager.Name)
}
