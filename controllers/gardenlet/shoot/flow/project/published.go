package project

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// PublishCAs writes the CA with which users verify the API server, and the CA with which the garden signs certificates
// for users.
func (p Project) PublishCAs(ctx context.Context, made *secretsmanager.Manager) error {
	bundle := made.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle]
	cluster := p.Artefact(constants.ShootProjectSecretSuffixCACluster, constants.GardenRoleCACluster)
	signer := made.Current(constants.SecretNameCAClient).Data
	return p.Apply(ctx,
		&corev1.Secret{ObjectMeta: cluster, Type: corev1.SecretTypeOpaque, Data: map[string][]byte{constants.DataKeyCACertificate: bundle}},
		&corev1.ConfigMap{ObjectMeta: cluster, Data: map[string]string{constants.DataKeyCACertificate: string(bundle)}},
		&gardencorev1beta1.InternalSecret{
			ObjectMeta: p.Artefact(constants.ShootProjectSecretSuffixCAClient, constants.GardenRoleCAClient),
			Type:       corev1.SecretTypeOpaque,
			Data: map[string][]byte{
				constants.DataKeyCACertificate: signer[secretsmanager.KeyCACert], constants.DataKeyCAPrivateKey: signer[secretsmanager.KeyCAKey],
			},
		},
	)
}

// PublishKubeconfig writes the kubeconfig with a token that never expires, or removes it if the Shoot does not want it.
func (p Project) PublishKubeconfig(ctx context.Context, made *secretsmanager.Manager, url string) error {
	meta := p.Artefact(constants.ShootProjectSecretSuffixKubeconfig, constants.GardenRoleKubeconfig)
	if !operation.StaticTokenKubeconfig(p.Shoot) {
		return p.delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: meta.Name, Namespace: meta.Namespace}})
	}
	ca := made.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle]
	token := secretsmanager.TokenFor(made.Current(constants.SecretNameKubeAPIServerStaticToken).Data, kubeapiserver.ClusterAdmin)
	meta.Annotations = map[string]string{"url": url}
	return p.Apply(ctx, &corev1.Secret{ObjectMeta: meta, Type: corev1.SecretTypeOpaque, Data: map[string][]byte{
		constants.DataKeyKubeconfig:    access.TokenKubeconfigData(access.Cluster{Name: p.TechnicalID, Server: url, CA: ca}, token),
		constants.DataKeyToken:         []byte(token),
		constants.DataKeyCACertificate: ca,
	}})
}

// PublishSSHKeypair writes the SSH keys of the nodes.
func (p Project) PublishSSHKeypair(ctx context.Context, made *secretsmanager.Manager) error {
	for suffix, secret := range map[string]*corev1.Secret{
		constants.ShootProjectSecretSuffixSSHKeypair:    made.Current(constants.SecretNameSSHKeyPair),
		constants.ShootProjectSecretSuffixOldSSHKeypair: made.Old(constants.SecretNameSSHKeyPair),
	} {
		meta := p.Artefact(suffix, constants.GardenRoleSSHKeyPair)
		if secret == nil {
			if err := p.delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: meta.Name, Namespace: meta.Namespace}}); err != nil {
				return err
			}
			continue
		}
		if err := p.Apply(ctx, &corev1.Secret{ObjectMeta: meta, Type: corev1.SecretTypeOpaque, Data: secret.Data}); err != nil {
			return err
		}
	}
	return nil
}
