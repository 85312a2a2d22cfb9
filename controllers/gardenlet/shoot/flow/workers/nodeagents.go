package workers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/shootsystem"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// NodeAgents are the Secrets that the node agents read.
type NodeAgents struct {
	Shoot *gardencorev1beta1.Shoot
	Space seed.Space
}

// Deploy writes the configuration of the machines to the shoot, where their node agents read it.
func (n NodeAgents) Deploy(ctx context.Context) error {
	read := func(name, key string) ([]byte, error) {
		secret := &corev1.Secret{}
		if err := n.Space.Client.Get(ctx, client.ObjectKey{Namespace: n.Space.Name, Name: name}, secret); err != nil {
			return nil, fmt.Errorf("read secret %q: %w", name, err)
		}
		return secret.Data[key], nil
	}
	var keys []string
	var objects []client.Object
	for _, worker := range n.Shoot.Spec.Provider.Workers {
		prefix := key(n.Shoot, worker)
		osc := &extensionsv1alpha1.OperatingSystemConfig{}
		name := client.ObjectKey{Namespace: n.Space.Name, Name: prefix + "-original"}
		if err := n.Space.Client.Get(ctx, name, osc); err != nil {
			return fmt.Errorf("read operating system config %q: %w", name, err)
		}
		secret, err := operatingsystemconfig.AgentSecret(worker.Name, prefix, osc, read)
		if err != nil {
			return fmt.Errorf("prepare operating system config %q for node agents: %w", name, err)
		}
		keys, objects = append(keys, prefix), append(objects, secret)
	}
	if err := n.Space.ApplyAll(ctx, operatingsystemconfig.AgentAccess(n.Space.Name)); err != nil {
		return err
	}
	return n.Space.DeployManaged(ctx, shootsystem.ResourceNodeAgent, false, append(objects, operatingsystemconfig.AgentRights(keys)...)...)
}
