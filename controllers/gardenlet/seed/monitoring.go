package seed

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// reconcileMonitoring deploys the Prometheus of the seed, or removes it if the configuration no longer wants one.
func (r *Reconciler) reconcileMonitoring(ctx context.Context) error {
	if !r.Monitoring {
		return r.destroyMonitoring(ctx)
	}
	manager, err := secretsmanager.New(ctx, secretsmanager.Settings{
		Reader: r.SeedClient, Writer: r.SeedClient, Clock: r.Clock, Namespace: constants.GardenNamespace,
		Identity: constants.SecretManagerIdentityGardenlet, Names: prometheus.SeedSecretNames(),
	})
	if err != nil {
		return err
	}
	first, _, err := prometheus.SeedObjects(r.SeedName, r.Image, prometheus.Secrets{})
	if err != nil {
		return err
	}
	if err := deploy(ctx, r.SeedClient, r.Pods, first[:1]); err != nil { // which tells destroyMonitoring that there is something
		return err
	}
	secrets, err := prometheus.GenerateSeedSecrets(ctx, manager)
	if err != nil {
		return fmt.Errorf("generate secrets of %s: %w", prometheus.Seed, err)
	}
	objects, _, err := prometheus.SeedObjects(r.SeedName, r.Image, secrets)
	if err != nil {
		return err
	}
	if err := deploy(ctx, r.SeedClient, r.Pods, objects); err != nil {
		return err
	}
	return manager.Cleanup(ctx)
}

// destroyMonitoring removes everything. The object that is deployed first goes last, since it tells whether there is something to remove.
func (r *Reconciler) destroyMonitoring(ctx context.Context) error {
	objects, _, err := prometheus.SeedObjects(r.SeedName, r.Image, prometheus.Secrets{})
	if err != nil {
		return err
	}
	switch err := r.SeedClient.Get(ctx, client.ObjectKeyFromObject(objects[0]), objects[0]); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("look for %s: %w", prometheus.Seed, err)
	}
	for _, name := range prometheus.SeedSecretNames() {
		err := r.SeedClient.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(constants.GardenNamespace), client.MatchingLabels{
			secretsmanager.LabelManagedBy: secretsmanager.ManagedBy, secretsmanager.LabelManagerIdentity: constants.SecretManagerIdentityGardenlet, secretsmanager.LabelName: name,
		})
		if err != nil {
			return fmt.Errorf("delete secrets %q: %w", name, err)
		}
	}
	for _, object := range slices.Backward(objects) {
		if err := r.SeedClient.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q: %w", object, object.GetName(), err)
		}
	}
	return nil
}

func (r *Reconciler) prometheus(ctx context.Context) (*appsv1.StatefulSet, error) {
	set := &appsv1.StatefulSet{}
	return set, r.SeedClient.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: prometheus.Seed}, set)
}

// monitoringHealth is the finding for the Prometheus of the seed.
func (r *Reconciler) monitoringHealth(ctx context.Context) conditions.Finding {
	set, err := r.prometheus(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return conditions.False(reasonComponentUnhealthy, fmt.Sprintf("StatefulSet %q is missing.", prometheus.Seed))
	case err != nil:
		return conditions.Unknown(reasonComponentsUnknown, fmt.Sprintf("StatefulSet %q of the seed cannot be read: %v", prometheus.Seed, err))
	case set.Status.ReadyReplicas >= ptr.Deref(set.Spec.Replicas, 1):
		return conditions.True(reasonComponentsRunning, "All system components are healthy.")
	case r.Clock.Now().Sub(set.CreationTimestamp.Time) < startTimeout:
		return conditions.Finding{Status: gardencorev1beta1.ConditionProgressing, Reason: reasonComponentsStarting, Message: fmt.Sprintf("StatefulSet %q is being started.", set.Name)}
	}
	return conditions.False(reasonComponentUnhealthy, fmt.Sprintf("StatefulSet %q: no pod is ready", set.Name))
}
