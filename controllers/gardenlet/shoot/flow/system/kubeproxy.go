package system

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeproxy"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// KubeProxy is kube-proxy on the nodes.
type KubeProxy struct {
	Shoot *gardencorev1beta1.Shoot
	// PodCIDR is the pod range of the shoot.
	PodCIDR  string
	Space    seed.Space
	Exposure exposure.Shoot
	Restarts Restarts
	// Image of kube-proxy; empty for the public one.
	Image string
}

// Deploy passes the component to the resource manager.
func (k KubeProxy) Deploy(ctx context.Context, made credentials.Made, shoot connection.Connection) error {
	server, err := k.Exposure.MachineServer()
	if err != nil {
		return err
	}
	annotations, err := k.Restarts.of(ctx, shoot, presentKubeProxy)
	if err != nil {
		return err
	}
	values := kubeproxy.Values{
		Config: k.Shoot.Spec.Kubernetes.KubeProxy, PodCIDR: k.PodCIDR, Server: server,
		CA:    made.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle],
		Image: k.Image, Annotations: annotations,
	}
	for _, worker := range k.Shoot.Spec.Provider.Workers {
		values.Pools = append(values.Pools, kubeproxy.Pool{Name: worker.Name, Version: operation.KubeletVersion(k.Shoot, worker)})
	}
	objects, err := kubeproxy.Objects(values)
	if err != nil {
		return err
	}
	return k.Space.DeployManaged(ctx, kubeproxy.Resource, false, objects...)
}

// Delete removes the component.
func (k KubeProxy) Delete(ctx context.Context) error {
	return k.Space.DeleteManaged(ctx, kubeproxy.Resource)
}
