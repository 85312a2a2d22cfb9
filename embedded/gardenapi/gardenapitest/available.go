package gardenapitest

import (
	"context"
	"fmt"

	"k8s.io/client-go/discovery"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// waitAvailable waits until the aggregator serves every group.
func (g *Garden) waitAvailable(ctx context.Context) error {
	client, err := aggregator.NewForConfig(g.Config)
	if err != nil {
		return err
	}
	if err := waitFor(ctx, func(ctx context.Context) error {
		list, err := client.APIServices().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, service := range list.Items {
			if service.Spec.Service != nil && !isAvailable(&service) {
				return fmt.Errorf("%s is not available: %v", service.Name, service.Status.Conditions)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	kubernetes, err := discovery.NewDiscoveryClientForConfig(g.Config)
	if err != nil {
		return err
	}
	return waitFor(ctx, func(context.Context) error {
		_, err := kubernetes.ServerResourcesForGroupVersion(core.SchemeGroupVersion.String())
		return err
	})
}

func isAvailable(service *apiregistrationv1.APIService) bool {
	for _, condition := range service.Status.Conditions {
		if condition.Type == apiregistrationv1.Available {
			return condition.Status == apiregistrationv1.ConditionTrue
		}
	}
	return false
}
