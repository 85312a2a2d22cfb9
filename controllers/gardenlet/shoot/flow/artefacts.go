package flow

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// artefact is the metadata of an object beside the Shoot in the garden, for users and the garden's own servers.
func (p *Plan) artefact(suffix, role string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: p.Shoot.Name + "." + suffix, Namespace: p.Shoot.Namespace,
		Labels: map[string]string{constants.GardenRole: role, constants.LabelShootName: p.Shoot.Name},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: gardencorev1beta1.SchemeGroupVersion.String(), Kind: "Shoot", Name: p.Shoot.Name, UID: p.Shoot.UID,
			Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(false),
		}},
	}
}

// publishCAs writes what users check the API server with, and what the garden signs certificates for users with.
func (p *Plan) publishCAs(ctx context.Context) error {
	bundle := p.secrets.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle]
	cluster := p.artefact(constants.ShootProjectSecretSuffixCACluster, constants.GardenRoleCACluster)
	signer := p.secrets.Current(constants.SecretNameCAClient).Data
	return p.garden.ApplyAll(ctx,
		&corev1.Secret{ObjectMeta: cluster, Type: corev1.SecretTypeOpaque, Data: map[string][]byte{constants.DataKeyCACertificate: bundle}},
		&corev1.ConfigMap{ObjectMeta: cluster, Data: map[string]string{constants.DataKeyCACertificate: string(bundle)}},
		&gardencorev1beta1.InternalSecret{
			ObjectMeta: p.artefact(constants.ShootProjectSecretSuffixCAClient, constants.GardenRoleCAClient),
			Type:       corev1.SecretTypeOpaque,
			Data: map[string][]byte{
				constants.DataKeyCACertificate: signer[secretsmanager.KeyCACert], constants.DataKeyCAPrivateKey: signer[secretsmanager.KeyCAKey],
			},
		},
	)
}

// publishKubeconfig writes the kubeconfig with a token that never expires, or removes it if the Shoot does not want it.
func (p *Plan) publishKubeconfig(ctx context.Context) error {
	meta := p.artefact(constants.ShootProjectSecretSuffixKubeconfig, constants.GardenRoleKubeconfig)
	if !p.StaticTokenKubeconfig() {
		return p.deleteArtefacts(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: meta.Name, Namespace: meta.Namespace}})
	}
	url := p.AdvertisedAddresses(p.FrontDoorPort)[0].URL
	ca := p.secrets.Bundle(constants.SecretNameCACluster).Data[secretsmanager.KeyBundle]
	token := secretsmanager.TokenFor(p.secrets.Current(constants.SecretNameKubeAPIServerStaticToken).Data, kubeapiserver.ClusterAdmin)
	meta.Annotations = map[string]string{"url": url}
	_, err := p.garden.Apply(ctx, &corev1.Secret{ObjectMeta: meta, Type: corev1.SecretTypeOpaque, Data: map[string][]byte{
		constants.DataKeyKubeconfig:    access.TokenKubeconfigData(access.Cluster{Name: p.namespace, Server: url, CA: ca}, token),
		constants.DataKeyToken:         []byte(token),
		constants.DataKeyCACertificate: ca,
	}})
	return err
}

// publishSSHKeypair writes the keys that open the nodes.
func (p *Plan) publishSSHKeypair(ctx context.Context) error {
	for suffix, secret := range map[string]*corev1.Secret{
		constants.ShootProjectSecretSuffixSSHKeypair:    p.secrets.Current(constants.SecretNameSSHKeyPair),
		constants.ShootProjectSecretSuffixOldSSHKeypair: p.secrets.Old(constants.SecretNameSSHKeyPair),
	} {
		meta := p.artefact(suffix, constants.GardenRoleSSHKeyPair)
		if secret == nil {
			if err := p.deleteArtefacts(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: meta.Name, Namespace: meta.Namespace}}); err != nil {
				return err
			}
			continue
		}
		if _, err := p.garden.Apply(ctx, &corev1.Secret{ObjectMeta: meta, Type: corev1.SecretTypeOpaque, Data: secret.Data}); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) deleteArtefacts(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		if err := p.Garden.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q in the garden: %w", object, client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}

// ensureShootState saves what a control plane cannot be rebuilt without elsewhere: the secrets marked so.
func (p *Plan) ensureShootState(ctx context.Context) error {
	state := &gardencorev1beta1.ShootState{ObjectMeta: p.artefact("", "")}
	state.Name, state.Labels = p.Shoot.Name, nil
	for _, secret := range p.secrets.Persisted() {
		raw, err := json.Marshal(secret.Data)
		if err != nil {
			return fmt.Errorf("encode secret %q: %w", secret.Name, err)
		}
		state.Spec.Gardener = append(state.Spec.Gardener, gardencorev1beta1.GardenerResourceData{
			Name: secret.Name, Type: "secret", Data: runtime.RawExtension{Raw: raw}, Labels: secret.Labels,
		})
	}
	_, err := p.garden.Apply(ctx, state)
	return err
}

// deleteShootState confirms the deletion, which is asked of everybody: the state is all that a lost control plane could be
// rebuilt from.
func (p *Plan) deleteShootState(ctx context.Context) error {
	state := &gardencorev1beta1.ShootState{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name, Namespace: p.Shoot.Namespace}}
	confirm := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, constants.ConfirmationDeletion)
	if err := p.Garden.Patch(ctx, state, client.RawPatch("application/merge-patch+json", confirm)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("confirm deletion of shoot state: %w", err)
	}
	return p.deleteArtefacts(ctx, state)
}

// deleteSecretsOfUsers removes what users got, last of all.
func (p *Plan) deleteSecretsOfUsers(ctx context.Context) error {
	var objects []client.Object
	for _, suffix := range []string{
		constants.ShootProjectSecretSuffixKubeconfig, constants.ShootProjectSecretSuffixSSHKeypair,
		constants.ShootProjectSecretSuffixOldSSHKeypair, constants.ShootProjectSecretSuffixCACluster,
	} {
		objects = append(objects, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name + "." + suffix, Namespace: p.Shoot.Namespace}})
	}
	return p.deleteArtefacts(ctx, append(objects,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name + "." + constants.ShootProjectConfigMapSuffixCACluster, Namespace: p.Shoot.Namespace}},
		&gardencorev1beta1.InternalSecret{ObjectMeta: metav1.ObjectMeta{Name: p.Shoot.Name + "." + constants.ShootProjectSecretSuffixCAClient, Namespace: p.Shoot.Namespace}},
	)...)
}
