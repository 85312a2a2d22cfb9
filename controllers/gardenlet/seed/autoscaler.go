package seed

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/crds"
)

// autoscaler is the vertical pod autoscaler of the seed as its settings want it; nil if they want none.
func autoscaler(seed *gardencorev1beta1.Seed) *gardencorev1beta1.SeedSettingVerticalPodAutoscaler {
	if seed.Spec.Settings == nil || seed.Spec.Settings.VerticalPodAutoscaler == nil || !seed.Spec.Settings.VerticalPodAutoscaler.Enabled {
		return nil
	}
	return seed.Spec.Settings.VerticalPodAutoscaler
}

// autoscaling is the vertical pod autoscaler of a seed.
type autoscaling struct {
	cluster
	clock clock.PassiveClock
	crds  *crdInstaller
}

// reconcile deploys the vertical pod autoscaler of the seed, or removes it. It leaves a seed alone that has another one: both would
// evict pods, and write the same recommendations.
func (a autoscaling) reconcile(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	settings := autoscaler(seed)
	if settings == nil {
		return a.destroy(ctx)
	}
	other, err := otherAutoscalers{Client: a.client, Clock: a.clock}.find(ctx)
	if err != nil {
		return err
	}
	if other != "" {
		log.FromContext(ctx).Info("The seed has another vertical pod autoscaler, so it gets none from the gardenlet", "found", other)
		return a.destroy(ctx)
	}
	if err := a.deployKinds(ctx); err != nil { // the Deployments wait until they are served
		return err
	}
	manager, err := secretsmanager.New(ctx, secretsmanager.Settings{
		Reader: a.client, Writer: a.client, Clock: a.clock, Namespace: constants.GardenNamespace,
		Identity: constants.SecretManagerIdentityGardenlet, Names: verticalpodautoscaler.SeedSecretNames(),
	})
	if err != nil {
		return err
	}
	secrets, err := verticalpodautoscaler.GenerateSeedSecrets(ctx, manager)
	if err != nil {
		return fmt.Errorf("generate secrets of the vertical pod autoscaler: %w", err)
	}
	if err := deploy(ctx, a.client, a.pods, verticalpodautoscaler.SeedObjects(a.image, *settings, secrets)); err != nil {
		return err
	}
	return manager.Cleanup(ctx)
}

// deployKinds installs the kinds, but leaves those of whoever has installed an autoscaler.
func (a autoscaling) deployKinds(ctx context.Context) error {
	wanted, err := crds.Autoscaling()
	if err != nil {
		return err
	}
	installed, err := a.crds.installed(ctx)
	if err != nil {
		return err
	}
	return a.crds.apply(ctx, slices.DeleteFunc(wanted, func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		sum, found := installed[crd.Name]
		return found && sum == ""
	}), false)
}

// destroy removes what the gardenlet has deployed, but not the kinds, whose objects belong to others. The ServiceAccounts tell whether there
// is something to remove: they come first and go last.
func (a autoscaling) destroy(ctx context.Context) error {
	accounts, err := metadataOf(ctx, a.client, corev1.SchemeGroupVersion.WithKind("ServiceAccountList"), client.InNamespace(constants.GardenNamespace), verticalpodautoscaler.OfSeed())
	if err != nil || len(accounts) == 0 {
		return err
	}
	for _, name := range verticalpodautoscaler.SeedSecretNames() {
		err := a.client.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(constants.GardenNamespace), client.MatchingLabels{
			secretsmanager.LabelManagedBy: secretsmanager.ManagedBy, secretsmanager.LabelManagerIdentity: constants.SecretManagerIdentityGardenlet, secretsmanager.LabelName: name,
		})
		if err != nil {
			return fmt.Errorf("delete secrets %q: %w", name, err)
		}
	}
	objects := verticalpodautoscaler.SeedObjects(a.image, gardencorev1beta1.SeedSettingVerticalPodAutoscaler{}, verticalpodautoscaler.Secrets{})
	for _, object := range slices.Backward(objects) {
		if err := deleteMarked(ctx, a.client, object); err != nil {
			return err
		}
	}
	return nil
}

// deleteMarked deletes an object of the autoscaler, unless it is somebody else's.
func deleteMarked(ctx context.Context, c client.Client, object client.Object) error {
	if err := c.Get(ctx, client.ObjectKeyFromObject(object), object); apierrors.IsNotFound(err) || err == nil && !verticalpodautoscaler.IsOfSeed(object) {
		return nil
	} else if err != nil {
		return fmt.Errorf("look for %T %q of the vertical pod autoscaler: %w", object, object.GetName(), err)
	}
	uid := object.GetUID()
	if err := c.Delete(ctx, object, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %T %q of the vertical pod autoscaler: %w", object, object.GetName(), err)
	}
	return nil
}

// health is the finding for the vertical pod autoscaler of the seed. That of somebody else is not checked.
func (a autoscaling) health(ctx context.Context) conditions.Finding {
	finding := conditions.True(reasonComponentsRunning, "All system components are healthy.")
	other, err := otherAutoscalers{Client: a.client, Clock: a.clock}.find(ctx)
	if err != nil {
		return conditions.Unknown(reasonComponentsUnknown, fmt.Sprintf("The vertical pod autoscaler of the seed cannot be checked: %v", err))
	}
	for _, name := range verticalpodautoscaler.Deployments() {
		if other == "" && finding.Status == gardencorev1beta1.ConditionTrue {
			finding = checks{a.client, a.clock}.deployment(ctx, name)
		}
	}
	return finding
}
