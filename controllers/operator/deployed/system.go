package deployed

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/operator/deployed/gateway"
	"github.com/gardener-up/gardener-up/controllers/operator/deployed/scaling"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// deploySystem writes the autoscaler of the runtime cluster, and the entrance of the virtual garden, which serves before the API server does. The
// entrance leads to the Service of the API server. One that exists is not changed before the entrance serves: it was the entrance of gardens
// without a gateway.
func (r run) deploySystem(ctx context.Context) error {
	service := &corev1.Service{}
	err := r.get(ctx, apiServer, service)
	clusterIP := service.Spec.ClusterIP
	if apierrors.IsNotFound(err) {
		clusterIP, err = r.service(ctx)
	}
	if err != nil {
		return err
	}
	values := gateway.Values{Image: r.Image, Replicas: r.availability.Servers(), Hosts: r.hosts(), Address: clusterIP, ServerPort: gateway.Port}
	balance(&values, r.ServiceType, r.garden.Spec.RuntimeCluster.Settings)
	settings := r.garden.Spec.RuntimeCluster.Settings.VerticalPodAutoscaler // defaulted
	return errors.Join(r.applyAll(ctx, gateway.Objects(values)...), scalingOf(r.Inputs, r.applyAll).Deploy(ctx, *settings))
}

// balance applies the settings for load balancers and routing to the Service of the entrance.
func balance(values *gateway.Values, serviceType corev1.ServiceType, settings *operatorv1alpha1.Settings) {
	values.ServiceType, values.TrafficDistribution = serviceType, distribution(settings)
	if settings == nil || settings.LoadBalancerServices == nil {
		return
	}
	if serviceType == corev1.ServiceTypeLoadBalancer {
		values.Annotations = settings.LoadBalancerServices.Annotations
	}
	values.ExternalTrafficPolicy = ptr.Deref(settings.LoadBalancerServices.ExternalTrafficPolicy, "")
}

// distribution is that of the Services of the entrance and of the API server.
func distribution(settings *operatorv1alpha1.Settings) *string {
	if settings == nil || settings.TopologyAwareRouting == nil || !settings.TopologyAwareRouting.Enabled {
		return nil
	}
	return ptr.To(corev1.ServiceTrafficDistributionPreferClose)
}

// scalingOf is the autoscaler of the runtime cluster. write is needed to deploy it.
func scalingOf(in Inputs, write func(context.Context, ...client.Object) error) scaling.Scaling {
	return scaling.Scaling{
		Client: in.Client, Clock: in.Clock, Image: in.Image, Write: write,
		Owns: func(object client.Object) bool { return object.GetLabels()[labelHost] == labelHostValue },
	}
}
