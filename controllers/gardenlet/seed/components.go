package seed

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	admission "github.com/gardener-up/gardener-up/controllers/admission/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/seedadmission"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/internal/runtimecluster"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

// DeployResourceManager writes the resource manager of the seed. It does not wait for it.
func DeployResourceManager(ctx context.Context, seed client.Client, image string, pods *podsignature.Signer) error {
	applier, objects := patch.Applier{Client: seed, Owner: fieldOwner, Pods: pods}, resourcemanager.SeedObjects(image)
	for _, object := range objects { // an operator may have gone
		if err := applier.TakeOver(ctx, object, runtimecluster.Operator); err != nil {
			return err
		}
	}
	return applier.ApplyAll(ctx, objects...)
}

// DeployAdmission writes the admission controller of the seed and its webhook configuration. Until the controller answers, the
// webhook configuration refuses deletions. DeployAdmission does not wait for the controller.
func DeployAdmission(ctx context.Context, seed client.Client, image string, pods *podsignature.Signer) error {
	if err := admission.Reserve(ctx, seed, seedadmission.Service()); err != nil {
		return err
	}
	return deploy(ctx, seed, pods, seedadmission.Objects(image))
}

func deploy(ctx context.Context, seed client.Client, pods *podsignature.Signer, objects []client.Object) error {
	return patch.Applier{Client: seed, Owner: fieldOwner, Pods: pods}.ApplyAll(ctx, objects...)
}

func (r *Reconciler) deployResourceManager(ctx context.Context) error {
	return DeployResourceManager(ctx, r.SeedClient, r.Image, r.Pods)
}

func (r *Reconciler) deployAdmission(ctx context.Context) error {
	return DeployAdmission(ctx, r.SeedClient, r.Image, r.Pods)
}

// deployCallback does not wait for the pods: they are ready when the landscape has connected to them.
func (r *Reconciler) deployCallback(ctx context.Context) error {
	return deploy(ctx, r.SeedClient, r.Pods, callback.Objects(r.Image, *r.Callback))
}

func (r *Reconciler) destroyCallback(ctx context.Context) error {
	return r.destroy(ctx, callback.Objects(r.Image, *r.Callback))
}

// completeResourceManager creates what is missing of the resource manager, and changes nothing: the operator of a Garden in the seed owns it, but may be
// gone. Without a resource manager, the API server refuses all new pods.
func (r *Reconciler) completeResourceManager(ctx context.Context) error {
	var missing []client.Object
	for _, object := range resourcemanager.SeedObjects(r.Image) {
		present := object.DeepCopyObject().(client.Object)
		if err := r.SeedClient.Get(ctx, client.ObjectKeyFromObject(object), present); apierrors.IsNotFound(err) {
			missing = append(missing, object)
		} else if err != nil {
			return fmt.Errorf("read %T %q: %w", object, object.GetName(), err)
		}
	}
	return deploy(ctx, r.SeedClient, r.Pods, missing)
}

// checkResourceManager returns nil if the resource manager of the seed runs, whoever has deployed it.
func (r *Reconciler) checkResourceManager(ctx context.Context, garden string) error {
	deployment := &appsv1.Deployment{}
	key := client.ObjectKey{Namespace: constants.GardenNamespace, Name: resourcemanager.Name}
	if err := r.SeedClient.Get(ctx, key, deployment); err != nil {
		return fmt.Errorf("read deployment %q: %w", key.Name, err)
	}
	if err := health.Deployment(deployment); err != nil && garden != "" {
		return fmt.Errorf("deployment %q belongs to the operator of the Garden %q in the seed: %w", key.Name, garden, err)
	} else if err != nil {
		return fmt.Errorf("deployment %q: %w", key.Name, err)
	}
	return nil
}

// components are the Deployments whose health counts for the seed.
func (r *Reconciler) components() []string {
	names := []string{seedadmission.Name}
	if r.ResourceManager {
		names = append(names, resourcemanager.Name)
	}
	if r.Callback != nil {
		names = append(names, callback.Name)
	}
	return names
}

func (r *Reconciler) destroyResourceManager(ctx context.Context) error {
	return r.destroy(ctx, append(pod.WebhookLeftovers(resourcemanager.Name), resourcemanager.SeedObjects(r.Image)...))
}

// destroyOwnResourceManager looks for a Garden once more, since steps before may have taken long. The next attempt then leaves the resource manager alone.
func (r *Reconciler) destroyOwnResourceManager(ctx context.Context) error {
	garden, err := r.runtime.Garden(ctx)
	if err != nil {
		return err
	}
	if garden != "" {
		return fmt.Errorf("the Garden %q has come into the seed: its operator owns the resource manager now", garden)
	}
	return r.destroyResourceManager(ctx)
}

func (r *Reconciler) destroyAdmission(ctx context.Context) error {
	return r.destroy(ctx, append(pod.WebhookLeftovers(seedadmission.Name), seedadmission.Objects(r.Image)...))
}

// destroy begins with the last object, the Deployment, since its pods would register their webhooks again.
func (r *Reconciler) destroy(ctx context.Context, objects []client.Object) error {
	for i := range objects {
		object := objects[len(objects)-1-i]
		if err := r.SeedClient.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q: %w", object, object.GetName(), err)
		}
	}
	return nil
}
