package seed

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// reconcileAutoscaler deploys the vertical pod autoscaler of the seed, or removes it. It leaves a seed alone that has another one: both would
// evict pods.
func (r *Reconciler) reconcileAutoscaler(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	settings := autoscaler(seed)
	if settings == nil {
		return r.destroyAutoscaler(ctx)
	}
	definitions, err := crds.Autoscaling()
	if err != nil {
		return err
	}
	if foreign, err := r.foreignAutoscaler(ctx, definitions); foreign || err != nil {
		return err
	}
	if err := r.crds.apply(ctx, definitions); err != nil { // the Deployments wait until they are served
		return err
	}
	manager, err := secretsmanager.New(ctx, secretsmanager.Settings{
		Reader: r.SeedClient, Writer: r.SeedClient, Clock: r.Clock, Namespace: constants.GardenNamespace,
		Identity: constants.SecretManagerIdentityGardenlet, Names: verticalpodautoscaler.SeedSecretNames(),
	})
	if err != nil {
		return err
	}
	secrets, err := verticalpodautoscaler.GenerateSeedSecrets(ctx, manager)
	if err != nil {
		return fmt.Errorf("generate secrets of the vertical pod autoscaler: %w", err)
	}
	if err := deploy(ctx, r.SeedClient, r.Pods, verticalpodautoscaler.SeedObjects(r.Image, *settings, secrets)); err != nil {
		return err
	}
	return manager.Cleanup(ctx)
}

// foreignAutoscaler reports whether somebody else has installed the kinds of the autoscaler.
func (r *Reconciler) foreignAutoscaler(ctx context.Context, definitions []*apiextensionsv1.CustomResourceDefinition) (bool, error) {
	installed, err := r.crds.installed(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(definitions, func(crd *apiextensionsv1.CustomResourceDefinition) bool {
		sum, found := installed[crd.Name]
		return found && sum == ""
	}), nil
}

// destroyAutoscaler removes everything but the kinds, whose objects belong to others. The ServiceAccounts tell whether there is something to remove, and
// go last.
func (r *Reconciler) destroyAutoscaler(ctx context.Context) error {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: constants.GardenNamespace, Name: verticalpodautoscaler.Recommender}}
	switch err := r.SeedClient.Get(ctx, client.ObjectKeyFromObject(account), account); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("look for the vertical pod autoscaler: %w", err)
	}
	for _, name := range verticalpodautoscaler.SeedSecretNames() {
		err := r.SeedClient.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(constants.GardenNamespace), client.MatchingLabels{
			secretsmanager.LabelManagedBy: secretsmanager.ManagedBy, secretsmanager.LabelManagerIdentity: constants.SecretManagerIdentityGardenlet, secretsmanager.LabelName: name,
		})
		if err != nil {
			return fmt.Errorf("delete secrets %q: %w", name, err)
		}
	}
	objects := verticalpodautoscaler.SeedObjects(r.Image, gardencorev1beta1.SeedSettingVerticalPodAutoscaler{}, verticalpodautoscaler.Secrets{})
	objects = slices.DeleteFunc(objects, func(object client.Object) bool {
		_, is := object.(*corev1.ServiceAccount)
		return is && object.GetName() == account.Name
	})
	if err := r.destroy(ctx, append([]client.Object{account}, objects...)); err != nil {
		return fmt.Errorf("remove the vertical pod autoscaler: %w", err)
	}
	return nil
}

// autoscalerHealth is the finding for the vertical pod autoscaler of the seed. That of somebody else is not checked.
func (r *Reconciler) autoscalerHealth(ctx context.Context) conditions.Finding {
	finding := conditions.True(reasonComponentsRunning, "All system components are healthy.")
	definitions, err := crds.Autoscaling()
	if err != nil {
		return conditions.Unknown(reasonComponentsUnknown, err.Error())
	}
	foreign, err := r.foreignAutoscaler(ctx, definitions)
	if err != nil {
		return conditions.Unknown(reasonComponentsUnknown, fmt.Sprintf("The vertical pod autoscaler of the seed cannot be checked: %v", err))
	}
	for _, name := range verticalpodautoscaler.Deployments() {
		if !foreign && finding.Status == gardencorev1beta1.ConditionTrue {
			finding = r.deploymentHealth(ctx, name)
		}
	}
	return finding
}
