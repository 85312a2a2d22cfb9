package flow

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/flow/await"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// deployNamespace writes the namespace that all of the control plane lives in, with the labels that webhooks of extensions
// select it by.
func (p *Plan) deployNamespace(ctx context.Context) error {
	labels := map[string]string{
		constants.GardenRole:         constants.GardenRoleShoot,
		constants.LabelSeedProvider:  p.Seed.Spec.Provider.Type,
		constants.LabelShootProvider: p.Shoot.Spec.Provider.Type,
	}
	if network := p.NetworkType(); network != "" {
		labels[constants.LabelNetworkingProvider] = network
	}
	if backup := p.Seed.Spec.Backup; backup != nil {
		labels[constants.LabelBackupProvider] = backup.Provider
	}
	for _, e := range p.Extensions {
		labels[constants.LabelExtensionExtensionTypePrefix+e.Type] = "true"
	}
	_, err := p.seed.Apply(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: p.namespace, Labels: labels, Annotations: map[string]string{constants.ShootUID: p.UID()},
	}})
	return err
}

// ensureIdentity records the identity of the cluster. It never changes, so a recorded one stays.
func (p *Plan) ensureIdentity(ctx context.Context) error {
	return p.Status.Update(ctx, func(s *gardencorev1beta1.ShootStatus) {
		if s.ClusterIdentity == nil {
			s.ClusterIdentity = ptr.To(p.ClusterIdentity())
		}
	})
}

// deployCloudProvider copies the credentials of the infrastructure, whatever they are now: extensions watch the copy.
func (p *Plan) deployCloudProvider(ctx context.Context) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: constants.SecretNameCloudProvider, Namespace: p.namespace,
			Labels: map[string]string{constants.GardenerPurpose: constants.SecretPurposeCloudProvider},
		},
		Type: corev1.SecretTypeOpaque,
	}
	if p.Credentials != nil {
		secret.Data = p.Credentials.Data
	}
	_, err := p.seed.Apply(ctx, secret)
	return err
}

// labelReferenced marks copies of what the Shoot refers to.
var labelReferenced = map[string]string{constants.GardenRole: constants.GardenRoleResourceReference}

// deployReferenced copies the Secrets and ConfigMaps that the Shoot names as resources, and removes copies that it does not
// name any more.
func (p *Plan) deployReferenced(ctx context.Context) error {
	wanted := map[string]bool{}
	for _, resource := range p.Shoot.Spec.Resources {
		meta := metav1.ObjectMeta{
			Name: constants.ReferencedResourcesPrefix + resource.ResourceRef.Name, Namespace: p.namespace, Labels: maps.Clone(labelReferenced),
		}
		key := client.ObjectKey{Namespace: p.Shoot.Namespace, Name: resource.ResourceRef.Name}
		var copied client.Object
		switch kind := resource.ResourceRef.Kind; kind {
		case "Secret":
			source := &corev1.Secret{}
			if err := p.GardenReader.Get(ctx, key, source); err != nil {
				return fmt.Errorf("read referenced secret %q: %w", key, err)
			}
			copied = &corev1.Secret{ObjectMeta: meta, Type: source.Type, Data: source.Data}
		case "ConfigMap":
			source := &corev1.ConfigMap{}
			if err := p.GardenReader.Get(ctx, key, source); err != nil {
				return fmt.Errorf("read referenced config map %q: %w", key, err)
			}
			copied = &corev1.ConfigMap{ObjectMeta: meta, Data: source.Data, BinaryData: source.BinaryData}
		default:
			return fmt.Errorf("resource %q is a %s, only Secrets and ConfigMaps can be referred to", resource.Name, kind)
		}
		if _, err := p.seed.Apply(ctx, copied); err != nil {
			return err
		}
		wanted[resource.ResourceRef.Kind+"/"+meta.Name] = true
	}
	return p.deleteReferenced(ctx, wanted)
}

// deleteReferenced removes the copies that are not wanted.
func (p *Plan) deleteReferenced(ctx context.Context, wanted map[string]bool) error {
	secrets, configMaps := &corev1.SecretList{}, &corev1.ConfigMapList{}
	for _, list := range []client.ObjectList{secrets, configMaps} {
		if err := p.SeedClient.List(ctx, list, client.InNamespace(p.namespace), client.MatchingLabels(labelReferenced)); err != nil {
			return fmt.Errorf("list copies of referenced resources: %w", err)
		}
	}
	var stale []client.Object
	for i := range secrets.Items {
		if !wanted["Secret/"+secrets.Items[i].Name] {
			stale = append(stale, &secrets.Items[i])
		}
	}
	for i := range configMaps.Items {
		if !wanted["ConfigMap/"+configMaps.Items[i].Name] {
			stale = append(stale, &configMaps.Items[i])
		}
	}
	return p.delete(ctx, stale...)
}

// delete deletes objects in the seed; one that is gone is no error.
func (p *Plan) delete(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		if err := p.SeedClient.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q: %w", object, client.ObjectKeyFromObject(object), err)
		}
	}
	return nil
}

func (p *Plan) deleteNamespace(ctx context.Context) error {
	return p.delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.namespace}})
}

func (p *Plan) awaitNamespaceGone(ctx context.Context) error {
	return await.Gone(ctx, p.SeedClient, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.namespace}}, nil)
}
