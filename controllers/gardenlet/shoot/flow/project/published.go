package project

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	secret := &corev1.Secret{ObjectMeta: meta, Type: corev1.SecretTypeOpaque, Data: map[string][]byte{
		constants.DataKeyKubeconfig:    access.TokenKubeconfigData(access.Cluster{Name: p.TechnicalID, Server: url, CA: ca}, token),
		constants.DataKeyToken:         []byte(token),
		constants.DataKeyCACertificate: ca,
	}}
	if err := p.Apply(ctx, secret); err != nil {
		return err
	}
	return p.removeLegacy(ctx, secret)
}

// removeLegacy removes other content, such as the client certificate that kubeconfigs of older releases contained. Whoever has such a
// certificate loses access when the authority of clients rotates.
func (p Project) removeLegacy(ctx context.Context, secret *corev1.Secret) error {
	current := &corev1.Secret{}
	if err := p.Reader.Get(ctx, client.ObjectKeyFromObject(secret), current); err != nil {
		return fmt.Errorf("read kubeconfig of the shoot in the garden: %w", err)
	}
	removed := map[string]any{}
	for key := range current.Data {
		if _, wanted := secret.Data[key]; !wanted {
			removed[key] = nil
		}
	}
	if len(removed) == 0 {
		return nil
	}
	change, err := json.Marshal(map[string]any{"data": removed})
	if err != nil {
		return err
	}
	if err := p.Client.Patch(ctx, current, client.RawPatch("application/merge-patch+json", change)); err != nil {
		return fmt.Errorf("remove former content of %q in the garden: %w", client.ObjectKeyFromObject(secret), err)
	}
	return nil
}

// PublishObservability writes the password with which users read the metrics of the shoot and log in to observability components that
// extensions deploy. An annotation says where the metrics are.
func (p Project) PublishObservability(ctx context.Context, made *secretsmanager.Manager) error {
	meta := p.Artefact(constants.ShootProjectSecretSuffixMonitoring, constants.GardenRoleMonitoring)
	if p.MetricsURL != "" {
		meta.Annotations = map[string]string{"url": p.MetricsURL + "?scope=shoot/" + p.Shoot.Namespace + "/" + p.Shoot.Name}
	}
	return p.Apply(ctx, &corev1.Secret{ObjectMeta: meta, Type: corev1.SecretTypeOpaque, Data: made.Current(constants.SecretNameObservabilityIngressUsers).Data})
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
