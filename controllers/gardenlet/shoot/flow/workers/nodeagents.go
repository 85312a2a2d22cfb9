package workers

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/shootsystem"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
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

// Await waits until no node has applied another configuration than the present one. Nodes that have announced nothing have booted from
// it. Nodes that are not ready cannot apply one, and nodes of pools that are updated in place do it later.
func (n NodeAgents) Await(ctx context.Context, shoot connection.Connection) error {
	later := health.UpdatedInPlace(n.Shoot)
	lag := health.Lag{Except: func(node *corev1.Node) bool { return later(node) || !ready(node) }}
	return await.Poll(ctx, func() error {
		nodes, err := lag.Nodes(ctx, shoot.Client)
		if err == nil && len(nodes) > 0 {
			err = fmt.Errorf("%d nodes have not applied their operating system config yet, for example %q", len(nodes), nodes[0])
		}
		return err
	})
}

func ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}
