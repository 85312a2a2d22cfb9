package seed

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	admission "github.com/gardener-up/gardener-up/controllers/admission/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/callback"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/seedadmission"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	"github.com/gardener-up/gardener-up/controllers/internal/runtimecluster"
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

// seedAdmission is the admission controller of the seed.
type seedAdmission struct{ cluster }

func (a seedAdmission) deploy(ctx context.Context) error {
	return DeployAdmission(ctx, a.client, a.image, a.pods)
}

func (a seedAdmission) destroy(ctx context.Context) error {
	return a.cluster.destroy(ctx, append(pod.WebhookLeftovers(seedadmission.Name), seedadmission.Objects(a.image)...))
}

// callbacks are the pods to which a landscape outside of the seed connects. garden is the Service by which pods reach the garden
// through them; nil if the seed needs no such pods.
type callbacks struct {
	cluster
	garden *types.NamespacedName
}

// deploy does not wait for the pods: they are ready when the landscape has connected to them.
func (c callbacks) deploy(ctx context.Context) error {
	return deploy(ctx, c.client, c.pods, callback.Objects(c.image, *c.garden))
}

func (c callbacks) destroy(ctx context.Context) error {
	return c.cluster.destroy(ctx, callback.Objects(c.image, *c.garden))
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
