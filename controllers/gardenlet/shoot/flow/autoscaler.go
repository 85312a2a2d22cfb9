package flow

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/clusterautoscaler"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
)

// deployAutoscaler deploys the autoscaler as the bounds in the status of the Worker say, or removes it where no pool may change
// its size.
func (p *Plan) deployAutoscaler(ctx context.Context) error {
	if !helper.WantsClusterAutoscaler(p.Shoot) {
		return p.deleteAutoscaler(ctx)
	}
	worker := p.newWorker()
	if err := p.SeedClient.Get(ctx, client.ObjectKeyFromObject(worker), worker); err != nil {
		return fmt.Errorf("read worker %q: %w", worker.Name, err)
	}
	mount, err := clusterautoscaler.GenerateAccess(ctx, p.secrets)
	if err != nil {
		return err
	}
	values := clusterautoscaler.Values{
		Namespace: p.namespace, Replicas: p.awakeReplicas(), Config: p.Shoot.Spec.Kubernetes.ClusterAutoscaler,
		MachineDeployments: worker.Status.MachineDeployments, Access: mount,
	}
	objects, _ := clusterautoscaler.Objects(values)
	if err := p.seed.ApplyAll(ctx, objects...); err != nil {
		return err
	}
	return p.deployManaged(ctx, clusterautoscaler.Resource, false, clusterautoscaler.ShootObjects(values)...)
}

// stopAutoscaler keeps it from adding machines for pods that are without nodes since the shoot falls asleep.
func (p *Plan) stopAutoscaler(ctx context.Context) error {
	return p.scale(ctx, clusterautoscaler.Name, 0)
}

func (p *Plan) deleteAutoscaler(ctx context.Context) error {
	if err := p.deleteManaged(ctx, clusterautoscaler.Resource); err != nil {
		return err
	}
	if err := p.deleteDeployment(ctx, clusterautoscaler.Name); err != nil {
		return err
	}
	return p.deleteServiceAccount(ctx, clusterautoscaler.Name)
}
