package seed

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/internal/runtimecluster"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// resourceManager is the resource manager of a seed as a Deployment.
type resourceManager struct {
	cluster
	runtime *runtimecluster.Decision
}

func (m resourceManager) deploy(ctx context.Context) error {
	return DeployResourceManager(ctx, m.client, m.image, m.pods)
}

// complete creates what is missing of the resource manager, and changes nothing: the operator of a Garden in the seed owns it, but may be
// gone. Without a resource manager, the API server refuses all new pods.
func (m resourceManager) complete(ctx context.Context) error {
	var missing []client.Object
	for _, object := range resourcemanager.SeedObjects(m.image) {
		present := object.DeepCopyObject().(client.Object)
		if err := m.client.Get(ctx, client.ObjectKeyFromObject(object), present); apierrors.IsNotFound(err) {
			missing = append(missing, object)
		} else if err != nil {
			return fmt.Errorf("read %T %q: %w", object, object.GetName(), err)
		}
	}
	return deploy(ctx, m.client, m.pods, missing)
}

// check returns nil if the resource manager of the seed runs, whoever has deployed it.
func (m resourceManager) check(ctx context.Context, garden string) error {
	deployment := &appsv1.Deployment{}
	key := client.ObjectKey{Namespace: constants.GardenNamespace, Name: resourcemanager.Name}
	if err := m.client.Get(ctx, key, deployment); err != nil {
		return fmt.Errorf("read deployment %q: %w", key.Name, err)
	}
	if err := health.Deployment(deployment); err != nil && garden != "" {
		return fmt.Errorf("deployment %q belongs to the operator of the Garden %q in the seed: %w", key.Name, garden, err)
	} else if err != nil {
		return fmt.Errorf("deployment %q: %w", key.Name, err)
	}
	return nil
}

func (m resourceManager) destroy(ctx context.Context) error {
	return m.cluster.destroy(ctx, append(pod.WebhookLeftovers(resourcemanager.Name), resourcemanager.SeedObjects(m.image)...))
}

// destroyOwn looks for a Garden once more, since steps before may have taken long. The next attempt then leaves the resource manager alone.
func (m resourceManager) destroyOwn(ctx context.Context) error {
	garden, err := m.runtime.Garden(ctx)
	if err != nil {
		return err
	}
	if garden != "" {
		return fmt.Errorf("the Garden %q has come into the seed: its operator owns the resource manager now", garden)
	}
	return m.destroy(ctx)
}
