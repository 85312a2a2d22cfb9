package extensions

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/operatingsystemconfig"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// ContainerRuntimes are the runtimes of worker pools in addition to containerd.
type ContainerRuntimes struct {
	Shoot *gardencorev1beta1.Shoot
	Space seed.Space
}

// Deploy requests the runtimes in the Shoot.
func (c ContainerRuntimes) Deploy(ctx context.Context) (seed.Requests, error) {
	requests := seed.Requests{}
	err := c.each(func(object *extensionsv1alpha1.ContainerRuntime, worker gardencorev1beta1.Worker, config *runtime.RawExtension) error {
		object.Spec = extensionsv1alpha1.ContainerRuntimeSpec{
			BinaryPath: operatingsystemconfig.BinaryPath,
			WorkerPool: extensionsv1alpha1.ContainerRuntimeWorkerPool{
				Name: worker.Name, Selector: metav1.LabelSelector{MatchLabels: map[string]string{constants.LabelWorkerPool: worker.Name}},
			},
			DefaultSpec: object.Spec.DefaultSpec,
		}
		object.Spec.ProviderConfig = config
		return c.Space.Extensions.Add(ctx, requests, object)
	})
	return requests, err
}

// Await waits for the response to the request of this run.
func (c ContainerRuntimes) Await(ctx context.Context, requests seed.Requests) error {
	return c.each(func(object *extensionsv1alpha1.ContainerRuntime, _ gardencorev1beta1.Worker, _ *runtime.RawExtension) error {
		return c.Space.Extensions.Await(ctx, object, requests)
	})
}

// DeleteStale deletes objects that no pool wants any more.
func (c ContainerRuntimes) DeleteStale(ctx context.Context) error {
	return c.Space.Extensions.DeleteAll(ctx, extensionsv1alpha1.ContainerRuntimeResource, c.Space.Name, c.wanted)
}

// AwaitStaleGone waits until those are gone.
func (c ContainerRuntimes) AwaitStaleGone(ctx context.Context) error {
	return c.Space.Extensions.WaitAllGone(ctx, extensionsv1alpha1.ContainerRuntimeResource, c.Space.Name, c.wanted)
}

func (c ContainerRuntimes) each(do func(*extensionsv1alpha1.ContainerRuntime, gardencorev1beta1.Worker, *runtime.RawExtension) error) error {
	for _, worker := range c.Shoot.Spec.Provider.Workers {
		if worker.CRI == nil {
			continue
		}
		for _, cri := range worker.CRI.ContainerRuntimes {
			object := &extensionsv1alpha1.ContainerRuntime{ObjectMeta: metav1.ObjectMeta{Name: cri.Type + "-" + worker.Name, Namespace: c.Space.Name}}
			object.Spec.Type = cri.Type
			if err := do(object, worker, cri.ProviderConfig); err != nil {
				return err
			}
		}
	}
	return nil
}

// wanted reports whether an object belongs to a current pool. A shoot that is being deleted has none.
func (c ContainerRuntimes) wanted(object client.Object) bool {
	found := errors.New("found")
	return c.Shoot.DeletionTimestamp == nil && c.each(func(wanted *extensionsv1alpha1.ContainerRuntime, _ gardencorev1beta1.Worker, _ *runtime.RawExtension) error {
		if wanted.Name == object.GetName() {
			return found
		}
		return nil
	}) != nil
}
