package deployed

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed/monitoring"
)

// server is one of Gardener's own.
func server(name string, port int32) prometheus.Server {
	return prometheus.Server{Name: name, Port: port, Pods: gardenerLabels(name)}
}

// deployObservability writes the Prometheus of the Garden, and then deletes the secrets of this host that nothing uses any more.
func (r run) deployObservability(ctx context.Context) error {
	if _, err := r.prepare(ctx); err != nil {
		return err
	}
	err := monitoring.Monitoring{Client: r.Client, Namespace: r.Namespace}.Deploy(ctx, r.secrets, prometheus.GardenValues{
		Namespace: r.Namespace, Prefix: prefix, Image: r.Image, Members: r.availability.Members(),
		APIServer: prometheus.Server{Name: apiServer, Port: names.APIServerPort, Pods: kubeapiserver.NamedService(apiServer, r.Namespace).Spec.Selector},
		Gardener:  server(gardenerAPIServer, portAPIServer), CAGardener: r.secrets.Bundle(secretCAGardener).Name,
		Plain: []prometheus.Server{
			server(gardenerAdmission, portAdmissionMetrics), server(gardenerControllerManager, portControllerManagerMetrics), server(gardenerScheduler, portSchedulerMetrics),
		},
	}, r.applyAll)
	if err != nil {
		return err
	}
	return r.secrets.Cleanup(ctx)
}
