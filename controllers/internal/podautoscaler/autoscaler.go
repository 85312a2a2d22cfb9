// Package podautoscaler deploys the vertical pod autoscaler of a seed or of the runtime cluster of a Garden, and removes it. It leaves a cluster
// alone that has another one: both would evict pods, and write the same recommendations.
package podautoscaler

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Autoscaler is that of one cluster, in its namespace garden. All fields are required.
type Autoscaler struct {
	Client client.Client // uncached
	Clock  clock.PassiveClock
	Owner  verticalpodautoscaler.Owner
	// Identity of the owner's secrets.
	Identity string
	// Kinds installs the kinds of the autoscaler.
	Kinds func(context.Context) error
	// Write writes objects in their order.
	Write func(context.Context, ...client.Object) error
}

// Deploy deploys the autoscaler, or removes it if the cluster has another one. Of the values it sets the owner and the secrets.
func (a Autoscaler) Deploy(ctx context.Context, values verticalpodautoscaler.ClusterValues) error {
	other, err := a.Other(ctx)
	if err != nil {
		return err
	}
	if other != "" {
		log.FromContext(ctx).Info("The cluster has another vertical pod autoscaler, so it gets none from "+string(a.Owner), "found", other)
		return a.Destroy(ctx)
	}
	if err := a.Kinds(ctx); err != nil { // the Deployments wait until they are served
		return err
	}
	manager, err := secretsmanager.New(ctx, secretsmanager.Settings{
		Reader: a.Client, Writer: a.Client, Clock: a.Clock, Namespace: constants.GardenNamespace,
		Identity: a.Identity, Names: verticalpodautoscaler.ClusterSecretNames(),
	})
	if err != nil {
		return err
	}
	values.Owner = a.Owner
	if err := a.Write(ctx, verticalpodautoscaler.ClusterObjects(values)[0]); err != nil { // which tells Destroy that there is something
		return err
	}
	if values.Secrets, err = verticalpodautoscaler.GenerateClusterSecrets(ctx, manager); err != nil {
		return fmt.Errorf("generate secrets of the vertical pod autoscaler: %w", err)
	}
	if err := a.Write(ctx, verticalpodautoscaler.ClusterObjects(values)...); err != nil {
		return err
	}
	return manager.Cleanup(ctx)
}

// Deployed reports whether the owner has deployed the autoscaler. The ServiceAccounts tell: they come first and go last.
func (a Autoscaler) Deployed(ctx context.Context) (bool, error) {
	accounts, err := metadataOf(ctx, a.Client, corev1.SchemeGroupVersion.WithKind("ServiceAccountList"), client.InNamespace(constants.GardenNamespace), a.Owner.Labels())
	return len(accounts) > 0, err
}

// Destroy removes what the owner has deployed, but not the kinds, whose objects belong to others.
func (a Autoscaler) Destroy(ctx context.Context) error {
	deployed, err := a.Deployed(ctx)
	if err != nil || !deployed {
		return err
	}
	for _, name := range verticalpodautoscaler.ClusterSecretNames() {
		err := a.Client.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(constants.GardenNamespace), client.MatchingLabels{
			secretsmanager.LabelManagedBy: secretsmanager.ManagedBy, secretsmanager.LabelManagerIdentity: a.Identity, secretsmanager.LabelName: name,
		})
		if err != nil {
			return fmt.Errorf("delete secrets %q: %w", name, err)
		}
	}
	for _, object := range slices.Backward(verticalpodautoscaler.ClusterObjects(verticalpodautoscaler.ClusterValues{Owner: a.Owner})) {
		if err := a.delete(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// delete deletes an object of the autoscaler, unless it is somebody else's.
func (a Autoscaler) delete(ctx context.Context, object client.Object) error {
	if err := a.Client.Get(ctx, client.ObjectKeyFromObject(object), object); apierrors.IsNotFound(err) || err == nil && !a.Owner.Owns(object) {
		return nil
	} else if err != nil {
		return fmt.Errorf("look for %T %q of the vertical pod autoscaler: %w", object, object.GetName(), err)
	}
	uid := object.GetUID()
	if err := a.Client.Delete(ctx, object, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %T %q of the vertical pod autoscaler: %w", object, object.GetName(), err)
	}
	return nil
}
