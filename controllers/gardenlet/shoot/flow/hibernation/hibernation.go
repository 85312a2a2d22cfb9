// Package hibernation stops the remaining components of the control plane when a shoot is hibernated.
package hibernation

import (
	"context"
	"fmt"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubescheduler"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/machinecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/oidcwebhook"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/exposure"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/podautoscaling"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
)

// Hibernation stops the control plane of a shoot.
type Hibernation struct {
	Space    seed.Space
	Exposure exposure.Shoot
	Etcd     etcd.Etcd
}

// Stop stops the remaining components: first the clients of the API server, then the API server, then its etcds. When it returns, the
// API server and its etcds have ended.
func (h Hibernation) Stop(ctx context.Context) error {
	deployments := append(podautoscaling.Deployments(), oidcwebhook.Name, machinecontrollermanager.Name, kubecontrollermanager.Name, kubescheduler.Name, resourcemanager.Name)
	if h.Exposure.Tunnelled() {
		deployments = append(deployments, h.Exposure.TunnelMode().Server)
	}
	for _, name := range deployments {
		if err := h.Space.Scale(ctx, name, 0); err != nil {
			return err
		}
	}
	if err := h.Space.Scale(ctx, names.APIServer, 0); err != nil {
		return err
	}
	if err := h.Space.AwaitDeployment(ctx, names.APIServer); err != nil {
		return fmt.Errorf("stop kube-apiserver: %w", err)
	}
	if err := h.Space.AwaitNoPods(ctx, kubeapiserver.Labels()); err != nil { // it writes to its etcd as long as it runs
		return fmt.Errorf("stop kube-apiserver: %w", err)
	}
	return h.Etcd.Stop(ctx)
}
