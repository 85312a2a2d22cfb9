package care

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// objects are the inputs of a check from the seed. They are read by lists, since a list costs no more than one object.
type objects struct {
	deployments []appsv1.Deployment
	etcds       []druidv1alpha1.Etcd
	resources   []resourcesv1alpha1.ManagedResource
	workers     []extensionsv1alpha1.Worker
	extensions  []extensionsv1alpha1.Object
}

func (r *Reconciler) load(ctx context.Context, namespace string) (*objects, error) {
	deployments, etcds := &appsv1.DeploymentList{}, &druidv1alpha1.EtcdList{}
	resources, workers := &resourcesv1alpha1.ManagedResourceList{}, &extensionsv1alpha1.WorkerList{}
	extensionLists := []client.ObjectList{
		workers, &extensionsv1alpha1.ControlPlaneList{}, &extensionsv1alpha1.NetworkList{}, &extensionsv1alpha1.ExtensionList{},
		&extensionsv1alpha1.ContainerRuntimeList{}, &extensionsv1alpha1.OperatingSystemConfigList{}, &extensionsv1alpha1.InfrastructureList{},
	}
	for _, list := range append([]client.ObjectList{deployments, etcds, resources}, extensionLists...) {
		if err := r.Seed.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return nil, fmt.Errorf("list %T in namespace %q: %w", list, namespace, err)
		}
	}
	out := &objects{deployments: deployments.Items, etcds: etcds.Items, resources: resources.Items, workers: workers.Items}
	for _, list := range extensionLists {
		err := meta.EachListItem(list, func(item runtime.Object) error {
			out.extensions = append(out.extensions, item.(extensionsv1alpha1.Object))
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read items of %T: %w", list, err)
		}
	}
	return out, nil
}
