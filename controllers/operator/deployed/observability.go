package deployed

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed/monitoring"
)

// deployObservability writes the Prometheus of the Garden, and then deletes the secrets of this host that nothing uses any more.
func (r run) deployObservability(ctx context.Context) error {
	if _, err := r.prepare(ctx); err != nil {
		return err
	}
	err := monitoring.Monitoring{Client: r.Client, Namespace: r.Namespace}.Deploy(ctx, r.secrets, prometheus.GardenValues{
		Namespace: r.Namespace, Prefix: prefix, Image: r.Image, Members: r.availability.Members(),
		Gardener: prometheus.Server{Service: gardenerAPIServer, Port: portAPIServer}, CAGardener: r.secrets.Bundle(secretCAGardener).Name,
		Plain: []prometheus.Server{
			{Service: gardenerAdmission, Port: portAdmissionMetrics}, {Service: gardenerControllerManager, Port: portControllerManagerMetrics},
			{Service: gardenerScheduler, Port: portSchedulerMetrics},
		},
	}, r.applyAll)
	if err != nil {
		return err
	}
	return r.secrets.Cleanup(ctx)
}
