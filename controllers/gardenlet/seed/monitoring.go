package seed

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// monitoring is the Prometheus of a seed.
type monitoring struct {
	cluster
	clock  clock.PassiveClock
	seed   string // its name
	wanted bool   // by the configuration
}

// reconcile deploys the Prometheus of the seed, or removes it if the configuration no longer wants one.
func (m monitoring) reconcile(ctx context.Context) error {
	if !m.wanted {
		return m.destroy(ctx)
	}
	manager, err := secretsmanager.New(ctx, secretsmanager.Settings{
		Reader: m.client, Writer: m.client, Clock: m.clock, Namespace: constants.GardenNamespace,
		Identity: constants.SecretManagerIdentityGardenlet, Names: prometheus.SeedSecretNames(),
	})
	if err != nil {
		return err
	}
	first, _, err := prometheus.SeedObjects(m.seed, m.image, prometheus.Secrets{})
	if err != nil {
		return err
	}
	if err := deploy(ctx, m.client, m.pods, first[:1]); err != nil { // which tells destroyMonitoring that there is something
		return err
	}
	secrets, err := prometheus.GenerateSeedSecrets(ctx, manager)
	if err != nil {
		return fmt.Errorf("generate secrets of %s: %w", prometheus.Seed, err)
	}
	objects, _, err := prometheus.SeedObjects(m.seed, m.image, secrets)
	if err != nil {
		return err
	}
	if err := deploy(ctx, m.client, m.pods, objects); err != nil {
		return err
	}
	return manager.Cleanup(ctx)
}

// destroy removes everything. The object that is deployed first goes last, since it tells whether there is something to remove.
func (m monitoring) destroy(ctx context.Context) error {
	objects, _, err := prometheus.SeedObjects(m.seed, m.image, prometheus.Secrets{})
	if err != nil {
		return err
	}
	switch err := m.client.Get(ctx, client.ObjectKeyFromObject(objects[0]), objects[0]); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("look for %s: %w", prometheus.Seed, err)
	}
	for _, name := range prometheus.SeedSecretNames() {
		err := m.client.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(constants.GardenNamespace), client.MatchingLabels{
			secretsmanager.LabelManagedBy: secretsmanager.ManagedBy, secretsmanager.LabelManagerIdentity: constants.SecretManagerIdentityGardenlet, secretsmanager.LabelName: name,
		})
		if err != nil {
			return fmt.Errorf("delete secrets %q: %w", name, err)
		}
	}
	for _, object := range slices.Backward(objects) {
		if err := m.client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q: %w", object, object.GetName(), err)
		}
	}
	return nil
}

func (m monitoring) prometheus(ctx context.Context) (*appsv1.StatefulSet, error) {
	set := &appsv1.StatefulSet{}
	return set, m.client.Get(ctx, client.ObjectKey{Namespace: constants.GardenNamespace, Name: prometheus.Seed}, set)
}

// health is the finding for the Prometheus of the seed.
func (m monitoring) health(ctx context.Context) conditions.Finding {
	set, err := m.prometheus(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return conditions.False(reasonComponentUnhealthy, fmt.Sprintf("StatefulSet %q is missing.", prometheus.Seed))
	case err != nil:
		return conditions.Unknown(reasonComponentsUnknown, fmt.Sprintf("StatefulSet %q of the seed cannot be read: %v", prometheus.Seed, err))
	case set.Status.ReadyReplicas >= ptr.Deref(set.Spec.Replicas, 1):
		return conditions.True(reasonComponentsRunning, "All system components are healthy.")
	case m.clock.Now().Sub(set.CreationTimestamp.Time) < startTimeout:
		return conditions.Finding{Status: gardencorev1beta1.ConditionProgressing, Reason: reasonComponentsStarting, Message: fmt.Sprintf("StatefulSet %q is being started.", set.Name)}
	}
	return conditions.False(reasonComponentUnhealthy, fmt.Sprintf("StatefulSet %q: no pod is ready", set.Name))
}
