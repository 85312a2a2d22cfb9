package managed

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// Actuator is a contract.Actuator for extension objects that are made of nothing but objects in the shoot. They go with the extension object, and
// stay in a shoot that moves to another seed.
type Actuator[T extensionsv1alpha1.Object] struct {
	// Client of the seed.
	Client client.Client
	// Prefix of the names of ManagedResources. The name of the extension object follows.
	Prefix string
	// Render returns the objects, as YAML documents by file name. It may write results into the status of obj.
	Render func(ctx context.Context, cluster *contract.Cluster, obj T) (map[string][]byte, error)
}

// Reconcile implements contract.Actuator.
func (a Actuator[T]) Reconcile(ctx context.Context, cluster *contract.Cluster, obj T) error {
	documents, err := a.Render(ctx, cluster, obj)
	if err != nil {
		return err
	}
	return a.resource(obj).Apply(ctx, documents)
}

// Restore implements contract.Actuator: the resource manager finds the objects in the shoot.
func (a Actuator[T]) Restore(ctx context.Context, cluster *contract.Cluster, obj T) error {
	return a.Reconcile(ctx, cluster, obj)
}

// Delete implements contract.Actuator. It waits until the objects are gone.
func (a Actuator[T]) Delete(ctx context.Context, _ *contract.Cluster, obj T) error {
	return a.resource(obj).Delete(ctx)
}

// ForceDelete implements contract.Actuator.
func (a Actuator[T]) ForceDelete(ctx context.Context, _ *contract.Cluster, obj T) error {
	return a.resource(obj).ForceDelete(ctx)
}

// Migrate implements contract.Actuator.
func (a Actuator[T]) Migrate(ctx context.Context, _ *contract.Cluster, obj T) error {
	return a.resource(obj).Migrate(ctx)
}

func (a Actuator[T]) resource(obj T) Resource {
	return Resource{Client: a.Client, Namespace: obj.GetNamespace(), Name: a.Prefix + "-" + obj.GetName()}
}
