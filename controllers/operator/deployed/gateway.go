package deployed

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed/gateway"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

// deployGateway writes the entrance of the virtual garden, which serves before the API server does. It writes the Service of the API server
// before, whose address the entrance leads to.
func (r run) deployGateway(ctx context.Context) error {
	clusterIP, err := r.service(ctx)
	if err != nil {
		return err
	}
	values := gateway.Values{
		Image: r.Image, Replicas: r.availability.Servers(), Hosts: r.hosts(), Address: clusterIP, ServerPort: gateway.Port,
		ServiceType: r.ServiceType, TrafficDistribution: r.distribution(),
	}
	if settings := r.garden.Spec.RuntimeCluster.Settings; settings != nil && settings.LoadBalancerServices != nil {
		if r.ServiceType == corev1.ServiceTypeLoadBalancer {
			values.Annotations = settings.LoadBalancerServices.Annotations
		}
		values.ExternalTrafficPolicy = ptr.Deref(settings.LoadBalancerServices.ExternalTrafficPolicy, "")
	}
	return r.applyAll(ctx, gateway.Objects(values)...)
}

// distribution is that of the Services of the entrance and of the API server.
func (w *writer) distribution() *string {
	settings := w.garden.Spec.RuntimeCluster.Settings
	if settings == nil || settings.TopologyAwareRouting == nil || !settings.TopologyAwareRouting.Enabled {
		return nil
	}
	return ptr.To(corev1.ServiceTrafficDistributionPreferClose)
}

// gateway is the component.
func (in Inputs) gateway() host.Component {
	return host.Component{Name: gateway.Name, Group: host.Runtime, Stage: host.SystemComponents, Serves: func(ctx context.Context) error {
		deployment := &appsv1.Deployment{}
		key := client.ObjectKey{Namespace: gateway.Namespace, Name: gateway.Name}
		if err := in.Client.Get(ctx, key, deployment); err != nil {
			return fmt.Errorf("read deployment %s: %w", key, err)
		}
		if ptr.Deref(deployment.Spec.Replicas, 1) == 0 {
			return fmt.Errorf("deployment %s: %w", key, errScaledDown)
		}
		return named("deployment", key.String(), health.Available(deployment))
	}}
}

// destroyGateway removes the entrance, and with its namespace all that is in it.
func (in Inputs) destroyGateway(ctx context.Context) error {
	return in.gone(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: gateway.Namespace}})
}
