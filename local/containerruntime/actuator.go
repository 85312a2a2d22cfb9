package containerruntime

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/managed"
)

// Actuator of all types. It keeps one ManagedResource with the RuntimeClass for each type in use, and one for each
// pool that has the runtime installed.
type Actuator struct {
	// Image is the appliance image.
	Image string
	// Client of the seed; Reader reads there without a cache.
	Client client.Client
	Reader client.Reader
	// Machines says what the machines are; only containers can get a runtime installed.
	Machines api.MachineRuntime
}

var _ contract.ContainerRuntimeActuator = &Actuator{}

// Reconcile implements contract.Actuator. It does not wait for nodes: the first ones are made later.
func (a *Actuator) Reconcile(ctx context.Context, _ *contract.Cluster, runtime *extensionsv1alpha1.ContainerRuntime) error {
	d, ok := definitions()[runtime.Spec.Type]
	if !ok {
		return contract.Permanent(fmt.Errorf("container runtime %q is not known", runtime.Spec.Type), gardencorev1beta1.ErrorConfigurationProblem)
	}
	if err := apply(ctx, a.class(runtime), runtimeClass(runtime.Spec.Type, d)); err != nil {
		return err
	}
	status := api.ContainerRuntimeStatus{
		TypeMeta: api.Meta("ContainerRuntimeStatus"), RuntimeClass: d.class, Handler: d.handler,
		Simulated: d.simulated || a.Machines != api.Containers,
	}
	runtime.Status.ProviderStatus = api.Encode(status)
	if a.Machines != api.Containers {
		return nil
	}
	return apply(ctx, a.installation(runtime), installer(runtime, d, a.Image))
}

// Restore implements contract.Actuator.
func (a *Actuator) Restore(ctx context.Context, cluster *contract.Cluster, runtime *extensionsv1alpha1.ContainerRuntime) error {
	return a.Reconcile(ctx, cluster, runtime)
}

// Delete implements contract.Actuator. Files that were put on nodes stay there. They are of no use without the
// class.
func (a *Actuator) Delete(ctx context.Context, _ *contract.Cluster, runtime *extensionsv1alpha1.ContainerRuntime) error {
	return a.remove(ctx, runtime, managed.Resource.Delete)
}

// ForceDelete implements contract.Actuator.
func (a *Actuator) ForceDelete(ctx context.Context, _ *contract.Cluster, runtime *extensionsv1alpha1.ContainerRuntime) error {
	return a.remove(ctx, runtime, managed.Resource.ForceDelete)
}

// Migrate implements contract.Actuator. Everything stays in the Shoot.
func (a *Actuator) Migrate(ctx context.Context, _ *contract.Cluster, runtime *extensionsv1alpha1.ContainerRuntime) error {
	return a.remove(ctx, runtime, managed.Resource.Migrate)
}

// remove deletes the objects of the pool. It deletes the class together with the last pool that uses it.
func (a *Actuator) remove(ctx context.Context, runtime *extensionsv1alpha1.ContainerRuntime, do func(managed.Resource, context.Context) error) error {
	if err := do(a.installation(runtime), ctx); err != nil {
		return err
	}
	list := &extensionsv1alpha1.ContainerRuntimeList{}
	if err := a.Reader.List(ctx, list, client.InNamespace(runtime.Namespace)); err != nil {
		return fmt.Errorf("list container runtimes: %w", err)
	}
	for _, other := range list.Items {
		if other.Name != runtime.Name && other.Spec.Type == runtime.Spec.Type && other.DeletionTimestamp == nil {
			return nil
		}
	}
	return do(a.class(runtime), ctx)
}

func (a *Actuator) class(runtime *extensionsv1alpha1.ContainerRuntime) managed.Resource {
	return managed.Resource{Client: a.Client, Namespace: runtime.Namespace, Name: "extension-runtime-class-" + runtime.Spec.Type}
}

func (a *Actuator) installation(runtime *extensionsv1alpha1.ContainerRuntime) managed.Resource {
	return managed.Resource{Client: a.Client, Namespace: runtime.Namespace, Name: "extension-runtime-" + runtime.Name}
}

func apply(ctx context.Context, resource managed.Resource, objects ...client.Object) error {
	documents := map[string][]byte{}
	for _, object := range objects {
		kind := object.GetObjectKind().GroupVersionKind().Kind
		data, err := yaml.Marshal(object)
		if err != nil {
			return fmt.Errorf("encode %s %s: %w", kind, object.GetName(), err)
		}
		documents[kind+".yaml"] = data
	}
	return resource.Apply(ctx, documents)
}
