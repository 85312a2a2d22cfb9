package project

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// DeleteAll deletes the objects of the shoot in the garden, as the last step.
func (p Project) DeleteAll(ctx context.Context) error {
	if err := p.deleteShootState(ctx); err != nil {
		return err
	}
	return p.deleteSecretsOfUsers(ctx)
}

// deleteSecretsOfUsers deletes the credentials of users.
func (p Project) deleteSecretsOfUsers(ctx context.Context) error {
	var objects []client.Object
	for _, suffix := range []string{
		constants.ShootProjectSecretSuffixKubeconfig, constants.ShootProjectSecretSuffixSSHKeypair,
		constants.ShootProjectSecretSuffixOldSSHKeypair, constants.ShootProjectSecretSuffixCACluster, constants.ShootProjectSecretSuffixMonitoring,
	} {
		objects = append(objects, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name + "." + suffix, Namespace: p.Shoot.Namespace}})
	}
	return p.delete(ctx, append(objects,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name + "." + constants.ShootProjectConfigMapSuffixCACluster, Namespace: p.Shoot.Namespace}},
		&gardencorev1beta1.InternalSecret{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name + "." + constants.ShootProjectSecretSuffixCAClient, Namespace: p.Shoot.Namespace}},
	)...)
}
